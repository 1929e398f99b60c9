#!/usr/bin/env bash
# guard.sh PID: stops the cluster once that process has ended, however it ended.
. "$(dirname "$0")/lib.sh"
owner=$1
# When it was started, so that no later process with its number is taken for it.
start_of() { sed 's/.*) //' "/proc/$owner/stat" 2>/dev/null | cut -d ' ' -f 20 || true; }
born=$(start_of)
while [[ $born && $(start_of) == "$born" ]]; do sleep 0.5; done
lock
# Another run may have the cluster by now.
if [[ $(cat "$RUN/owner" 2>/dev/null || true) == "$owner" ]]; then node_down; fi
