#!/usr/bin/env bash
# Stops the cluster and removes its state; keeps what was built.
. "$(dirname "$0")/lib.sh"
lock
node_down
say 'down'
