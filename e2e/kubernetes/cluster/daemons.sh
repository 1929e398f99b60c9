# The daemons of the cluster, each startable on its own. Source it after lib.sh; do not run it.
PKI=$RUN/pki

start_etcd() {
  in_node_bg etcd "$BIN/etcd" --name n --data-dir "$RUN/etcd" --unsafe-no-fsync --log-level warn \
    --listen-client-urls http://127.0.0.1:2379 --advertise-client-urls http://127.0.0.1:2379 \
    --listen-peer-urls http://127.0.0.1:2380 --initial-advertise-peer-urls http://127.0.0.1:2380 \
    --initial-cluster n=http://127.0.0.1:2380
}

start_kube-apiserver() {
  in_node_bg kube-apiserver "$BIN/kube-apiserver" \
    --etcd-servers=http://127.0.0.1:2379 --advertise-address="$NODE_IP" --secure-port=6443 \
    --service-cluster-ip-range="$SVC_CIDR" --authorization-mode=Node,RBAC \
    --enable-admission-plugins=NodeRestriction --allow-privileged=true \
    --client-ca-file="$PKI/ca.crt" --tls-cert-file="$PKI/apiserver.crt" --tls-private-key-file="$PKI/apiserver.key" \
    --kubelet-certificate-authority="$PKI/ca.crt" --kubelet-preferred-address-types=InternalIP \
    --kubelet-client-certificate="$PKI/apiserver-kubelet-client.crt" \
    --kubelet-client-key="$PKI/apiserver-kubelet-client.key" \
    --service-account-issuer=https://kubernetes.default.svc.cluster.local \
    --service-account-key-file="$PKI/sa.pub" --service-account-signing-key-file="$PKI/sa.key"
}

start_kube-controller-manager() {
  local config=$RUN/controller-manager.kubeconfig
  in_node_bg kube-controller-manager "$BIN/kube-controller-manager" \
    --kubeconfig="$config" --authentication-kubeconfig="$config" --authorization-kubeconfig="$config" \
    --use-service-account-credentials --service-account-private-key-file="$PKI/sa.key" \
    --root-ca-file="$PKI/ca.crt" --cluster-signing-cert-file="$PKI/ca.crt" \
    --cluster-signing-key-file="$PKI/ca.key" --leader-elect=false
}

start_kube-scheduler() {
  local config=$RUN/scheduler.kubeconfig
  in_node_bg kube-scheduler "$BIN/kube-scheduler" --kubeconfig="$config" --authentication-kubeconfig="$config" \
    --authorization-kubeconfig="$config" --leader-elect=false
}

start_containerd() {
  in_node_bg containerd containerd --config "$RUN/containerd.toml"
  wait_for 30 'containerd to answer' in_node ctr version
}

start_kubelet() {
  in_node_bg kubelet "$BIN/kubelet" --config="$RUN/kubelet.yaml" --kubeconfig="$RUN/kubelet.kubeconfig" \
    --hostname-override="$NODE" --node-ip="$NODE_IP" --v=2
}

start_kube-proxy() {
  in_node_bg kube-proxy "$BIN/kube-proxy" --kubeconfig="$RUN/kube-proxy.kubeconfig" --hostname-override="$NODE" \
    --proxy-mode=iptables --cluster-cidr="$POD_CIDR" --oom-score-adj=0 --conntrack-max-per-core=0 \
    --conntrack-min=0 --conntrack-tcp-timeout-established=0 --conntrack-tcp-timeout-close-wait=0
}

# kill_daemon NAME: kill -9, and waits for its end.
kill_daemon() {
  in_node sh -c 'pid=$(cat "/run/$0.pid") && kill -KILL "$pid" && while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done' "$1"
}
