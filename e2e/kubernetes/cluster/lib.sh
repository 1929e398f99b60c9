# What the scripts of the test cluster share. Source it; do not run it.
set -euo pipefail

HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
STATE_DIR=${RANGER_RELAY_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/ranger-relay}/kubernetes
BIN=$STATE_DIR/bin       # programs, kept between runs
IMAGES=$STATE_DIR/images # images of the cluster itself, kept between runs
RUN=$STATE_DIR/run       # one life of the cluster
LOG=$STATE_DIR/log

K8S_VERSION=v1.35.4 # the one of modules/k8s/go.mod; newer ones are announced to need containerd 2
HELM_VERSION=v4.1.4 # the one of modules/k8s/go.mod; newer ones bring a newer Kubernetes of their own
NODE=ci-node
MARK=ranger-relay-node

# The node lives in its own network, mount, process and host-name namespaces,
# joined to the machine by one veth pair.
HOST_IF=relay-k8s0
HOST_IP=${RELAY_K8S_HOST_IP:-10.250.7.1}
NODE_IP=${RELAY_K8S_NODE_IP:-10.250.7.2}
POD_CIDR=${RELAY_K8S_POD_CIDR:-10.244.0.0/24}
SVC_CIDR=${RELAY_K8S_SVC_CIDR:-10.96.0.0/16}
API_SVC_IP=${RELAY_K8S_API_SVC_IP:-10.96.0.1}
DNS_IP=${RELAY_K8S_DNS_IP:-10.96.0.10}
CGROUP=ranger-relay-k8s
export KUBECONFIG=$RUN/admin.kubeconfig
export PATH=$BIN:$PATH

say() { printf '[kubernetes %s] %s\n' "$(date +%T)" "$*"; }
die() { printf '[kubernetes] %s\n' "$*" >&2; exit 1; }
need() { command -v "$1" >/dev/null || die "the command '$1' is missing${2:+; $2}"; }

# wait_for SECONDS WHAT COMMAND...: asks again until the command succeeds.
wait_for() {
  local end=$((SECONDS + $1)) what=$2; shift 2
  until "$@" >/dev/null 2>&1; do
    ((SECONDS < end)) || die "waited in vain for $what; the logs are in $LOG"
    sleep 0.2
  done
}

# lock: one start or stop at a time. Daemons are started with 9>&-, or they would hold it.
lock() {
  mkdir -p "$STATE_DIR"
  exec 9>"$STATE_DIR/cluster.lock"
  flock 9
}

# node_pid: process 1 of the node, as the machine counts.
node_pid() {
  local pid
  pid=$(cat "$RUN/node.pid" 2>/dev/null) || return 1
  [[ -d /proc/$pid ]] && grep -qa "$MARK" "/proc/$pid/cmdline" && echo "$pid"
}

# in_node COMMAND...: runs a command inside the node's namespaces.
in_node() {
  local pid
  pid=$(node_pid) || die "the node does not run; start it with up.sh"
  nsenter --target "$pid" --mount --net --pid --uts -- "$@"
}

# in_node_bg NAME COMMAND...: a daemon inside the node; its log is $LOG/NAME.log.
in_node_bg() {
  local name=$1; shift
  in_node setsid --fork sh -c 'echo $$ >/run/'"$name"'.pid; exec "$@"' "$name" "$@" \
    </dev/null >>"$LOG/$name.log" 2>&1 9>&-
}

# load_image ARCHIVE: makes the images of an archive known to the node.
load_image() { in_node ctr -n k8s.io images import - <"$1" >/dev/null; }

# dns_ok: asks cluster DNS, through its Service, for the API's address and compares the answer.
# A Ready condition alone is no evidence: a pod that is about to crash can be Ready for a second.
dns_ok() {
  local want got
  want=$(printf '%02x' ${API_SVC_IP//./ })
  got=$(timeout 2 bash -c '
    exec 3<>"/dev/tcp/$0/53"
    printf "\x00\x36\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00\x0akubernetes\x07default\x03svc\x07cluster\x05local\x00\x00\x01\x00\x01" >&3
    dd bs=512 count=1 status=none <&3 | od -An -tx1 | tr -d " \n"' "$DNS_IP" 2>/dev/null || true)
  [[ $got == *"$want"* ]]
}

# node_down: ends whatever there is of a cluster, also of one whose start was killed half way.
node_down() {
  local pid hierarchy
  for pid in $(pgrep -f "^[^ ]*(unshare|bash) .*$MARK $RUN( |\$)" || true); do
    kill -KILL "$pid" 2>/dev/null || true # with process 1 everything in the node dies
    for _ in $(seq 100); do [[ -d /proc/$pid ]] || break; sleep 0.1; done
  done
  ip link del "$HOST_IF" 2>/dev/null || true
  for hierarchy in /sys/fs/cgroup/*/"$CGROUP"; do
    [[ -d $hierarchy ]] || continue
    for _ in $(seq 50); do
      find "$hierarchy" -depth -type d -exec rmdir {} + 2>/dev/null || true
      [[ -d $hierarchy ]] || break
      sleep 0.1
    done
  done
  # The kubelet changed these for the whole machine.
  if [[ -s $RUN/sysctl.before ]]; then sysctl -qp "$RUN/sysctl.before" || true; fi
  rm -rf --one-file-system "$RUN"
}
