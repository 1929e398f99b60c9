# How the test cluster's Go programs are built. Source it behind lib.sh.

# Caches of their own, removed by scanners.sh: 6 GB that nothing needs once all is there. An interrupted build goes on from them.
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
