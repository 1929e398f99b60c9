#!/usr/bin/env bash
# Starts the cluster; does nothing when it runs. With OWNER=<pid> it ends when that process does.
. "$(dirname "$0")/lib.sh"
. "$HERE/pki.sh"
. "$HERE/daemons.sh"

# ---- may it run here? -------------------------------------------------------
refused='Kubernetes cannot run here:'
reason=$("$HERE/can-run.sh") || die "$reason"
for b in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl helm; do
  [[ -x $BIN/$b ]] || die "$b is not built; run $HERE/build.sh"
done
for c in containerd runc ctr iptables conntrack ip nsenter unshare openssl sysctl pgrep; do need "$c" "run $HERE/build.sh"; done
for c in memory cpu cpuset pids devices; do
  mkdir -p "/sys/fs/cgroup/$c/$CGROUP"
done

lock
if [[ -e $RUN/up ]] && node_pid >/dev/null && kubectl get node "$NODE" >/dev/null 2>&1; then
  owner=$(cat "$RUN/owner" 2>/dev/null || true)
  if [[ -z $owner || $owner == "${OWNER:-}" ]]; then say 'already up'; exit 0; fi
  [[ -d /proc/$owner ]] && die "process $owner of this machine uses the cluster; wait for its end, or end it with down.sh"
fi
node_down
mkdir -p "$RUN"/{pki,etcd,volumes} "$LOG"
rm -f "$LOG"/kube*.log "$LOG"/{etcd,containerd,node-init}.log
sysctl -e vm.overcommit_memory vm.panic_on_oom kernel.panic kernel.panic_on_oops >"$RUN/sysctl.before"
if [[ ${OWNER:-} ]]; then
  echo "$OWNER" >"$RUN/owner"
  setsid --fork bash "$HERE/guard.sh" "$OWNER" </dev/null >/dev/null 2>&1 9>&-
fi
T0=$(date +%s.%N)
since() { awk -v a="$T0" -v b="$(date +%s.%N)" 'BEGIN{printf "%.1f s", b-a}'; }
make_pki

# ---- the node's namespaces --------------------------------------------------
setsid --fork unshare --mount --net --pid --uts --fork --kill-child --propagation private \
  bash "$HERE/node-init.sh" "$MARK" "$RUN" "$NODE" </dev/null >"$LOG/node-init.log" 2>&1 9>&-
wait_for 10 "the node's first process" test -s "$RUN/node.pid"
PID=$(node_pid) || die "the node's first process died: $(cat "$LOG/node-init.log")"
ip link add "$HOST_IF" type veth peer name eth0 netns "$PID" ||
  die "$refused the machine refuses a pair of network interfaces (veth)"
ip addr add "$HOST_IP/30" dev "$HOST_IF"
ip link set "$HOST_IF" up
in_node ip link set lo up
in_node ip addr add "$NODE_IP/30" dev eth0
in_node ip link set eth0 up
in_node ip route add default via "$HOST_IP"
in_node sysctl -qw net.ipv4.ip_forward=1
in_node sysctl -qw net.bridge.bridge-nf-call-iptables=1 || true
# The machine reaches pods, Services and cluster DNS directly.
ip route replace "$POD_CIDR" via "$NODE_IP" dev "$HOST_IF"
ip route replace "$SVC_CIDR" via "$NODE_IP" dev "$HOST_IF"
wait_for 5 "the node's mounts" in_node test -e /run/node-ready

# ---- control plane ----------------------------------------------------------
start_etcd
start_kube-apiserver
wait_for 90 'the API server' kubectl get --raw /readyz
say "API server ready after $(since)"
start_kube-controller-manager
start_kube-scheduler

# ---- the node ---------------------------------------------------------------
in_node mkdir -p /etc/cni/net.d
sed "s|@POD_CIDR@|$POD_CIDR|" "$HERE/cni.conflist" >"$RUN/cni/net.d/10-bridge.conflist"
cp "$HERE/containerd.toml" "$RUN/containerd.toml"
sed "s|@CGROUP@|$CGROUP|; s|@DNS_IP@|$DNS_IP|; s|@PKI@|$PKI|" "$HERE/kubelet.yaml" >"$RUN/kubelet.yaml"
start_containerd
for image in pause coredns; do load_image "$IMAGES/$image.tar" || die "the image $image cannot be loaded"; done
for hierarchy in /sys/fs/cgroup/*/; do
  [[ $hierarchy == */unified/ ]] && continue
  mkdir -p "$hierarchy$CGROUP" 2>/dev/null || continue
  if [[ -e $hierarchy$CGROUP/cpuset.cpus && -z $(cat "$hierarchy$CGROUP/cpuset.cpus") ]]; then
    cat "$hierarchy/cpuset.cpus" >"$hierarchy$CGROUP/cpuset.cpus"
    cat "$hierarchy/cpuset.mems" >"$hierarchy$CGROUP/cpuset.mems"
  fi
done
start_kubelet
start_kube-proxy
wait_for 60 'the node to register' kubectl get node "$NODE"
sed "s|@DNS_IP@|$DNS_IP|" "$HERE/coredns.yaml" | kubectl apply -f - >/dev/null
"$HERE/volumes.sh" "$RUN/volumes" 12 | kubectl apply -f - >/dev/null
wait_for 90 'the node to be Ready' kubectl wait --for=condition=Ready "node/$NODE" --timeout=1s
say "node Ready after $(since)"
wait_for 90 'cluster DNS to answer' dns_ok
say "DNS answers after $(since)"
touch "$RUN/up"
# The store of images is new each time: load those of applications again.
echo "export KUBECONFIG=$KUBECONFIG PATH=$BIN:\$PATH"
