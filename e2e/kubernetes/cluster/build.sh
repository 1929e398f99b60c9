#!/usr/bin/env bash
# Builds what the test cluster runs on: Kubernetes, etcd, CoreDNS, Helm and their images. What is there at the right version is
# kept, so a second run takes no time. Needs root, Debian and Go; half an hour of one core, from the Go module proxy.
. "$(dirname "$0")/lib.sh"
reason=$("$HERE/can-run.sh") || die "$reason"
mkdir -p "$BIN" "$IMAGES" "$LOG"
exec 8>"$STATE_DIR/build.lock"
flock -n 8 || { say 'another build is under way; waiting for it'; flock 8; }
T0=$SECONDS

# ---- Debian packages --------------------------------------------------------
missing=()
for c in containerd:containerd runc:runc iptables:iptables conntrack:conntrack openssl:openssl ip:iproute2 \
  nsenter:util-linux sysctl:procps pgrep:procps; do
  command -v "${c%%:*}" >/dev/null || missing+=("${c##*:}")
done
[[ -x /usr/lib/cni/bridge ]] || missing+=(containernetworking-plugins)
python3 -c 'import ensurepip, venv' 2>/dev/null || missing+=(python3 python3-venv)
if ((${#missing[@]})); then
  say "installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
  { apt-get update -qq && apt-get install -o DPkg::Lock::Timeout=300 -y -qq --no-install-recommends "${missing[@]}"; } >"$LOG/apt.log" 2>&1 ||
    die "apt-get failed: $(tail -n 3 "$LOG/apt.log")"
fi

# ---- Go programs ------------------------------------------------------------
# Caches of their own, removed at the end: 6 GB that nothing needs once the programs are there. An interrupted build goes on from them.
CACHES=$STATE_DIR/go
export CGO_ENABLED=0 GOTOOLCHAIN=local GOMODCACHE=$CACHES/mod GOCACHE=$CACHES/build GOFLAGS='-mod=readonly -buildvcs=false -modcacherw'
# The compiler spends a third of its time on collecting garbage where it may use no more memory.
if (($(awk '/^MemAvailable/{print int($2 / 1048576)}' /proc/meminfo) >= 8)); then export GOGC=400; fi

# program STAMP OUT... -- DIR LDFLAGS PACKAGE...: builds unless every OUT is there with this stamp.
program() {
  local stamp=$1 outs=() out there=1; shift
  while [[ $1 != -- ]]; do outs+=("$1"); shift; done
  shift
  local dir=$1 flags=$2 target=$BIN/ began=$SECONDS; shift 2
  for out in "${outs[@]}"; do
    [[ -x $BIN/$out && $(cat "$BIN/.$out.stamp" 2>/dev/null) == "$stamp" ]] || there=
  done
  [[ $there ]] && return
  ((${#outs[@]} == 1)) && target=$BIN/${outs[0]}
  say "building ${outs[*]}"
  (cd "$dir" && go build -trimpath -gcflags=all=-dwarf=false -ldflags "-s -w $flags" -o "$target" "$@") >"$LOG/build-${outs[0]}.log" 2>&1 ||
    die "go build failed: $(grep -v downloading "$LOG/build-${outs[0]}.log" | tail -n 5)"
  for out in "${outs[@]}"; do echo "$stamp" >"$BIN/.$out.stamp"; done
  say "  $((SECONDS - began)) s"
}
sum() { cat "$@" | sha256sum | cut -c1-16; }
M=$HERE/modules
C=k8s.io/component-base/version
minor=${K8S_VERSION#v1.}
flags="-X $C.gitVersion=$K8S_VERSION -X $C.gitMajor=1 -X $C.gitMinor=${minor%%.*} -X $C.gitTreeState=clean"
program "$(sum "$M"/k8s/go.*)" kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl -- \
  "$M/k8s" "$flags" k8s.io/kubernetes/cmd/{kube-apiserver,kube-controller-manager,kube-scheduler,kubelet,kube-proxy,kubectl}
# In one module, so that all of them share versions: most of their packages are compiled by then.
program "$(sum "$M"/k8s/go.*)" etcd -- "$M/k8s" '' go.etcd.io/etcd/server/v3
program "$(sum "$M"/k8s/go.* "$M"/k8s/coredns/*)" coredns -- "$M/k8s" '' ./coredns
program "$(sum "$M"/pause/*)" pause -- "$M/pause" '' .
program "$(sum "$M"/k8s/go.*)" helm -- "$M/k8s" "-X helm.sh/helm/v4/internal/version.version=$HELM_VERSION" \
  helm.sh/helm/v4/cmd/helm
. "$HERE/scanners.sh"
rm -rf "$CACHES"

# ---- images of the cluster itself -------------------------------------------
image() { # NAME USER: an image that holds one static program
  local out=$IMAGES/$1.tar
  [[ $out -nt $BIN/$1 ]] && return
  need node 'install Node 20 or newer'
  node "$HERE/../../../scripts/program-image.mjs" "$BIN/$1" "localhost/$1:1" "$2" "$out" >/dev/null
}
image pause 65535:65535
image coredns 65532:65532
if ((SECONDS > T0)); then say "built in $((SECONDS - T0)) s: $(du -sh "$BIN" | cut -f1) in $BIN"; fi
