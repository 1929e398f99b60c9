#!/usr/bin/env bash
# Builds what the test cluster runs on: Kubernetes, etcd, CoreDNS, Helm and their images. What is there at the right version is
# kept, so a second run takes no time. Needs root, Debian and Go; a quarter of an hour of one core, from the Go module proxy.
# `build.sh helm` builds only Helm, for the tests that render charts, and needs only Go.
. "$(dirname "$0")/lib.sh"
. "$HERE/go.sh"
[[ ${1:-} == helm ]] || reason=$("$HERE/can-run.sh") || die "$reason"
mkdir -p "$BIN" "$IMAGES" "$LOG"
T0=$SECONDS
alone() { # LOCK: waits until no other build holds it
  exec 8>"$STATE_DIR/$1.lock"
  flock -n 8 || { say 'another build is under way; waiting for it'; flock 8; }
}
# Helm has a lock of its own, so that chart tests do not wait for a build of the whole cluster.
build_helm() {
  alone helm
  program "$(sum "$M"/k8s/go.*)" helm -- "$M/k8s" "-X helm.sh/helm/v4/internal/version.version=$HELM_VERSION" \
    helm.sh/helm/v4/cmd/helm
}
if [[ ${1:-} == helm ]]; then
  [[ -x $BIN/helm ]] || need go 'install Go 1.26 or newer'
  build_helm
  exit
fi
build_helm
alone build

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
C=k8s.io/component-base/version
minor=${K8S_VERSION#v1.}
flags="-X $C.gitVersion=$K8S_VERSION -X $C.gitMajor=1 -X $C.gitMinor=${minor%%.*} -X $C.gitTreeState=clean"
program "$(sum "$M"/k8s/go.*)" kube-apiserver kube-controller-manager kube-scheduler kubelet kube-proxy kubectl -- \
  "$M/k8s" "$flags" k8s.io/kubernetes/cmd/{kube-apiserver,kube-controller-manager,kube-scheduler,kubelet,kube-proxy,kubectl}
# In one module, so that all of them share versions: most of their packages are compiled by then.
program "$(sum "$M"/k8s/go.*)" etcd -- "$M/k8s" '' go.etcd.io/etcd/server/v3
program "$(sum "$M"/k8s/go.* "$M"/k8s/coredns/*)" coredns -- "$M/k8s" '' ./coredns
program "$(sum "$M"/pause/*)" pause -- "$M/pause" '' .

# ---- images of the cluster itself -------------------------------------------
image() { # NAME USER: an image that holds one static program
  local out=$IMAGES/$1.tar
  [[ $out -nt $BIN/$1 ]] && return
  need node 'install Node 20 or newer'
  node "$HERE/../../../scripts/run.mjs" program-image "$BIN/$1" "localhost/$1:1" "$2" "$out" >/dev/null
}
image pause 65535:65535
image coredns 65532:65532
if ((SECONDS > T0)); then say "built in $((SECONDS - T0)) s: $(du -sh "$BIN" | cut -f1) in $BIN"; fi
