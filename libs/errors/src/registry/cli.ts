import { entries } from '../entry.ts';

/** Failures that the command line reports before it exits. */
export const cliErrors = entries({
  usage: {
    next: 'alert',
    status: 400,
    text: '{problem}',
    check: 'Append `--help` to the command for its usage.',
  },
  not_running: {
    next: 'alert',
    status: 503,
    text: 'Nothing answers at {address}; start the system with `ranger-relay up`',
    check: 'The given address, and whether `up` is running there.',
  },
  up_not_running: {
    next: 'alert',
    status: 503,
    text: 'No `ranger-relay up` can be asked on DATA_DIR {path}: {problem}',
    check: 'Start it, or set DATA_DIR to the directory of the one that runs, or name the address.',
  },
  up_not_answering: {
    next: 'alert',
    status: 503,
    text: 'The `up` of DATA_DIR {path} (pid {pid}) runs and does not answer at {address}: nothing may be received',
    check: 'Whether it just begins. Otherwise read its log, end it with `kill -9`, and start it again.',
  },
  status_unreadable: {
    next: 'alert',
    status: 502,
    text: 'The response from {address} {problem}',
    check: 'The given address, or DATA_DIR; when a store is unavailable, the log of `up` holds the cause.',
  },
  nothing_stored: {
    next: 'alert',
    status: 404,
    text: 'DATA_DIR {path} holds no {file}; start the system there with `ranger-relay up`, or set DATA_DIR to the directory that it uses',
    check: 'DATA_DIR, and the directory the command is called in when DATA_DIR is a relative path.',
  },
  store_removed: {
    next: 'alert',
    status: 503,
    text: 'The running `up` has {file} of DATA_DIR {path} open, but it is gone from there. {remedy}',
    check: 'Who removed it, and which backup there is.',
  },
  dead_letter_unknown: {
    next: 'alert',
    status: 404,
    text: 'There is no dead letter {id}; `ranger-relay dlq list` prints the waiting ones',
    check: 'The id, and whether it was replayed or dropped before.',
  },
  dead_letter_not_replayable: {
    next: 'alert',
    status: 409,
    text: 'The dead letter {id} cannot be replayed: {reason}',
    check: '`ranger-relay dlq show <id>` prints the stored dead letter.',
  },
  drop_not_logged: {
    next: 'alert',
    status: 503,
    text: 'The dead letter {id} was not dropped: the log of SOS cannot be written. Repeat `ranger-relay dlq drop {id}` once it can',
    check: 'The message bus: `ranger-relay status` and `ranger-relay doctor` name what is wrong with it.',
  },
  integration_type_unserved: {
    next: 'alert',
    status: 404,
    text: 'The integration {integration} is of the type {type}, which has no actions here; {slugs} have',
    check: 'The id, and PUSHER_TYPE_SLUG and RUNNER_TYPE_SLUG, which name the types of this installation.',
  },
  action_not_of_type: {
    next: 'alert',
    status: 404,
    text: 'Integrations of the type {type} have no action {action}; they have {actions}',
    check: 'The name of the action and the id of the integration.',
  },
  service_unreachable: {
    next: 'alert',
    status: 503,
    text: 'No answer from the {service} at {address}: {reason}',
    check:
      'Whether it runs (`ranger-relay up`, or its deployment), and its address: --url, RUNNER_URL or PUSHER_URL, RUNNER_PORT or PUSHER_PORT.',
  },
  service_caller_refused: {
    next: 'alert',
    status: 401,
    text: 'The {service} at {address} refuses the caller: {problem}',
    check: 'AUTH_TOKEN must be a token that the service accepts; beside `up`, set DATA_DIR to its directory instead.',
  },
  service_answer_unreadable: {
    next: 'alert',
    status: 502,
    text: 'The server at {address} is not the {service}: {problem}',
    check: 'The address: --url, RUNNER_URL or PUSHER_URL; something else may listen on that port.',
  },
  address_in_use: {
    next: 'alert',
    status: 409,
    text: 'Another process already listens on {address}',
    check: 'Choose another port with --port; 0 selects a free one.',
  },
  state_in_use: {
    next: 'alert',
    status: 409,
    text: '{action} of integration {integration} is running and uses this state; nothing was changed',
    check: '`ranger-relay why` says since when. Wait until it ends, or repeat with --force if its process has died.',
  },
  state_changed: {
    next: 'alert',
    status: 409,
    text: 'The state {key} has changed since it was shown; nothing was changed',
    check: 'Print it again with `ranger-relay state get`, and repeat with its revision.',
  },
  state_untold: {
    next: 'alert',
    status: 503,
    text: 'The state {key} was changed, but the change could not be written to the activity log: {reason}',
    check: 'The message bus; keep the printed line, it is the only record of the change.',
  },
  simulation_unacknowledged: {
    next: 'alert',
    status: 503,
    text: '{count} of {total} POSTs were not acknowledged with 200',
    check: 'The answers above: 401 is the token, 404 the integration, 503 an unavailable bus or platform.',
  },
});
