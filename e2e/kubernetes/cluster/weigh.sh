#!/usr/bin/env bash
# weigh.sh SHARES: what the node gets of the processors when others want them too; a session outside it has 1024.
. "$(dirname "$0")/lib.sh"
echo "$1" >"/sys/fs/cgroup/cpu/$CGROUP/cpu.shares"
