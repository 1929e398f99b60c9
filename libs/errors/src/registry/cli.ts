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
    text: 'The {service} at {address} does not take the caller: {problem}',
    check: 'AUTH_TOKEN must be one that the service takes; beside `up` set DATA_DIR to its directory instead.',
  },
  service_answer_unreadable: {
    next: 'alert',
    status: 502,
    text: 'What answers at {address} is no {service}: {problem}',
    check: 'The address: --url, RUNNER_URL or PUSHER_URL; something else may listen on that port.',
  },
  address_in_use: {
    next: 'alert',
    status: 409,
    text: 'Something else listens on {address} already',
    check: '--port names another port; 0 takes a free one.',
  },
  state_in_use: {
    next: 'alert',
    status: 409,
    text: '{action} of integration {integration} is running and works on this state; nothing was changed',
    check: '`ranger-relay why` tells since when. Wait for its end, or repeat with --force when its process is gone.',
  },
  state_changed: {
    next: 'alert',
    status: 409,
    text: 'The state {key} is not what it was when it was shown; nothing was changed',
    check: 'Look at it again with `ranger-relay state get`, and repeat with its revision.',
  },
  state_untold: {
    next: 'alert',
    status: 503,
    text: 'The state {key} was changed, but the activity log could not be told: {reason}',
    check: 'The message bus; keep the printed line, it is the only record of the change.',
  },
  simulation_unacknowledged: {
    next: 'alert',
    status: 503,
    text: '{count} of {total} POSTs were not acknowledged with 200',
    check: 'The answers above: 401 is the token, 404 the integration, 503 a bus or platform that is away.',
  },
});
