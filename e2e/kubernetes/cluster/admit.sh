#!/usr/bin/env bash
# admit.sh PID…: servers beside the cluster that pods wait for get processors with the node from now on, and not with what calls it.
. "$(dirname "$0")/lib.sh"
for pid in "$@"; do echo "$pid" >"/sys/fs/cgroup/cpu/$CGROUP/cgroup.procs"; done
