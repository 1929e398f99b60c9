import { entries } from '../entry.ts';

/** Failures that the command line reports before it exits. */
export const cliErrors = entries({
  usage: {
    next: 'alert',
    status: 400,
    text: '{problem}',
    check: '`ranger-relay <command> --help` shows the form of the call.',
  },
  not_running: {
    next: 'alert',
    status: 503,
    text: 'Nothing answers at {address}; start the system with `ranger-relay up`',
    check: 'STATUS_PORT, and whether `up` is running on this machine.',
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
});
