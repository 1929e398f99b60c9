#!/usr/bin/env bash
# Says in one line why this machine cannot run the test cluster, with exit code 1; says nothing when it can. Changes nothing.
. "$(dirname "$0")/lib.sh"
NEEDED_GO=1.26
refuse() { echo "Kubernetes cannot run here: $*"; exit 1; }

[[ $(id -u) == 0 ]] || refuse 'it needs root, for namespaces, cgroups and containers'
unshare --mount --net --pid --uts --fork true 2>/dev/null || refuse 'the machine refuses new namespaces (unshare)'
for c in memory cpu cpuset pids devices; do
  [[ -w /sys/fs/cgroup/$c ]] || refuse "the cgroup hierarchy /sys/fs/cgroup/$c is missing or may not be written (cgroup v1 is needed)"
done
for c in containerd runc iptables conntrack openssl ip nsenter sysctl pgrep; do
  command -v "$c" >/dev/null || command -v apt-get >/dev/null || refuse "the command $c is missing and apt-get is not there to install it"
done

# Programs that are there need nothing to be built or fetched.
for b in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl helm checkov; do
  [[ -x $BIN/$b ]] && continue
  command -v go >/dev/null || refuse "its programs are built with Go $NEEDED_GO or newer, which is missing"
  version=$(go env GOVERSION)
  [[ $(printf '%s\n' "$NEEDED_GO" "${version#go}" | sort -V | head -n 1) == "$NEEDED_GO" ]] ||
    refuse "its programs are built with Go $NEEDED_GO or newer; Go is $version"
  probe=$(mktemp -d)
  trap 'rm -rf "$probe"' EXIT
  (cd "$HERE/modules/k8s" && GOFLAGS='-mod=readonly -modcacherw' GOTOOLCHAIN=local GOMODCACHE=$probe \
    timeout 60 go mod download github.com/beorn7/perks) >/dev/null 2>&1 || refuse 'no proxy of Go modules answers'
  break
done
