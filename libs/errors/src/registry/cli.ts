import { entries } from '../entry.ts';

/** Failures that the command line reports before it exits. */
export const cliErrors = entries({
  usage: {
    next: 'alert',
    status: 400,
    text: '{problem}',
    check: '`--help` behind the command shows the form of the call.',
  },
  not_running: {
    next: 'alert',
    status: 503,
    text: 'Nothing answers at {address}; start the system with `ranger-relay up`',
    check: 'STATUS_PORT, and whether `up` is running on this machine.',
  },
  status_unreadable: {
    next: 'alert',
    status: 502,
    text: 'What answers at {address} {problem}',
    check: 'STATUS_PORT, or the address given; the log of `up` holds the cause when a store is away.',
  },
  nothing_stored: {
    next: 'alert',
    status: 404,
    text: 'DATA_DIR {path} holds no {file}; start the system there with `ranger-relay up`, or set DATA_DIR to where it runs',
    check: 'DATA_DIR, and the directory the command is called in when DATA_DIR is a relative path.',
  },
  dead_letter_unknown: {
    next: 'alert',
    status: 404,
    text: 'There is no dead letter {id}; `ranger-relay dlq list` prints those that wait',
    check: 'The id, and whether it was replayed or dropped before.',
  },
  dead_letter_not_replayable: {
    next: 'alert',
    status: 409,
    text: 'The dead letter {id} cannot be replayed: {reason}',
    check: '`ranger-relay dlq show <id>` prints what is left of it.',
  },
  simulation_unacknowledged: {
    next: 'alert',
    status: 503,
    text: '{count} of {total} POSTs were not acknowledged with 200',
    check: 'The answers above: 401 is the token, 404 the integration, 503 a bus or platform that is away.',
  },
});
