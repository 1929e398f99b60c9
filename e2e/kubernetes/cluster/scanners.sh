#!/usr/bin/env bash
# Builds what looks over charts and alerts, behind the test cluster: kube-score, checkov, the checker of Prometheus' rules, and the
# definitions of other projects' kinds. What is there is kept. Scenarios that need none of it begin before.
. "$(dirname "$0")/lib.sh"
. "$HERE/go.sh"
"$HERE/build.sh"
exec 7>"$STATE_DIR/scanners.lock"
flock -n 7 || { say 'another build of the scanners is under way; waiting for it'; flock 7; }
T0=$SECONDS

# unless_there WHERE STAMP WHAT COMMAND...: runs the command unless WHERE was made with this stamp.
unless_there() {
  local where=$1 stamp=$2 what=$3 began=$SECONDS; shift 3
  [[ -e $where && $(cat "$where.stamp" 2>/dev/null) == "$stamp" ]] && return
  say "$what"
  "$@"
  echo "$stamp" >"$where.stamp"
  say "  $((SECONDS - began)) s"
}

# module_folder DIR MODULE: where the module that DIR requires lies, fetched and compared with its sum.
module_folder() { (cd "$1" && go mod download "$2" && go list -m -f '{{.Dir}}' "$2"); }

# The unit tests of rules are promtool's own source, taken from its module; all of promtool would take six times as long.
build_promtool_rules() {
  local from dir=$CACHES/promtool
  from=$(module_folder "$M/promtool" github.com/prometheus/prometheus 2>"$LOG/build-promtool-rules.log") ||
    die "promtool's source: $(tail -n 2 "$LOG/build-promtool-rules.log")"
  rm -rf "$dir"
  mkdir -p "$dir"
  cp "$M"/promtool/{go.mod,go.sum,main.go} "$from/cmd/promtool/unittest.go" "$dir"
  (cd "$dir" && go build -trimpath -gcflags='all=-N -l -dwarf=false' -ldflags '-s -w' -o "$BIN/promtool-rules" .) >>"$LOG/build-promtool-rules.log" 2>&1 ||
    die "go build failed: $(tail -n 5 "$LOG/build-promtool-rules.log")"
}

fetch_crds() {
  local module file from
  rm -rf "$STATE_DIR/crds"
  mkdir -p "$STATE_DIR/crds"
  while read -r module file; do
    from=$(module_folder "$M/crds" "$module" 2>"$LOG/crds.log") || die "$module: $(tail -n 2 "$LOG/crds.log")"
    cp "$from/$file" "$STATE_DIR/crds/"
  done <"$M/crds/files.txt"
}

# Pinned with the sums of what Python 3.11 takes on amd64, which is what the pins were made with; elsewhere by version alone.
install_checkov() {
  local pins=$HERE/checkov/requirements.txt how=--require-hashes venv=$STATE_DIR/checkov
  if [[ $(python3 -c 'import platform; print(platform.python_version()[:4], platform.machine())') != '3.11 x86_64' ]]; then
    sed 's/ --hash=.*//' "$pins" >"$STATE_DIR/checkov.txt"
    pins=$STATE_DIR/checkov.txt how=
  fi
  rm -rf "$venv"
  { python3 -m venv "$venv" && "$venv/bin/pip" install --quiet --disable-pip-version-check --no-cache-dir --no-deps \
    --only-binary :all: $how --requirement "$pins"; } >"$LOG/checkov.log" 2>&1 || die "checkov: $(tail -n 2 "$LOG/checkov.log")"
  ln -sf "$venv/bin/checkov" "$BIN/checkov"
}

program "$(sum "$M"/kube-score/go.*)" kube-score -- "$M/kube-score" '' github.com/zegl/kube-score/cmd/kube-score
unless_there "$BIN/promtool-rules" "$(sum "$M"/promtool/*)" 'building promtool-rules' build_promtool_rules
unless_there "$STATE_DIR/crds" "$(sum "$M"/crds/*)" "fetching definitions of other projects' kinds" fetch_crds
unless_there "$STATE_DIR/checkov" "$(sum "$HERE/checkov/requirements.txt")" 'installing checkov' install_checkov
rm -rf "$CACHES"
if ((SECONDS > T0)); then say "scanners built in $((SECONDS - T0)) s"; fi
