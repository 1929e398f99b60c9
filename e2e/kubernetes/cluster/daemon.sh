#!/usr/bin/env bash
# daemon.sh kill|start NAME: kills a daemon of the node (-9), or starts it again: kubelet, containerd, kube-proxy …
. "$(dirname "$0")/lib.sh"
. "$HERE/daemons.sh"
case ${1:-} in
kill) kill_daemon "$2" ;;
start) "start_$2" ;;
*) sed -n 2p "$0" >&2; exit 2 ;;
esac
