# First process of the node's process namespace: private mounts, then reap.
# Arguments: the marker that the process is found by, the run folder, the node's name.
set -euo pipefail
run=$2
# Still the machine's /proc here: this shell's pid as the machine counts.
awk '/^PPid/{print $2}' /proc/self/status >"$run/node.pid"
mount -t proc proc /proc
hostname "$3"
mount -t tmpfs -o mode=755 tmpfs /run
mkdir -p /run/lock
bindover() { mkdir -p "$1" "$2"; mount --bind "$1" "$2"; }
bindover "$run/kubelet" /var/lib/kubelet
bindover "$run/varlog" /var/log
bindover "$run/containerd" /var/lib/containerd
bindover "$run/cni" /etc/cni
bindover "$run/cnilib" /var/lib/cni
mount --make-rshared /
touch /run/node-ready
trap 'exit 0' TERM
while :; do sleep 3600 & wait $! || true; done
