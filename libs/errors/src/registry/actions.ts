import { entries } from '../entry.ts';

/** Failures of actions and their schedules. */
export const actionErrors = entries({
  crontab_invalid: {
    next: 'alert',
    status: 422,
    text: 'The schedule "{crontab}" cannot be used: {reason}',
    check:
      'Five fields (minute, hour, day of month, month, day of week) and, if wanted, whole hours from UTC (-12 to 14).',
  },
  action_definition_invalid: {
    next: 'alert',
    status: 500,
    text: 'The handler {name} cannot be used: {rule}',
    check: 'The named export of the handlers module, against the rule in the text.',
  },
  action_unknown: {
    next: 'dead',
    status: 422,
    text: 'There is no action {action} here',
    check: '`GET /v1/actions/` lists the actions; the command may be for another service.',
  },
  data_model_unknown: {
    next: 'dead',
    status: 422,
    text: 'No action takes data of the type {model}',
    check: 'The event_type of the data against the data models of the push actions.',
  },
  action_data_invalid: {
    next: 'dead',
    status: 422,
    text: 'The data does not fit the model of {action}: {problems}',
    check: '`ranger-relay dlq show <id>` prints the data as it came.',
  },
  action_config_missing: {
    next: 'dead',
    status: 404,
    text: 'The integration {integration} has no configuration for {action}',
    check: 'The configuration of the action in the portal.',
  },
  action_config_invalid: {
    next: 'dead',
    status: 422,
    text: 'The configuration of {action} is not valid: {problems}',
    check: 'The named fields of the action in the portal, and the overrides of the call.',
  },
  integration_disabled: {
    next: 'skip',
    status: 409,
    text: 'The integration {integration} is disabled',
    check: 'Whether it is meant to be; it is enabled in the portal.',
  },
  integration_unsaved: {
    next: 'dead',
    status: 422,
    text: 'An unsaved integration accepts only actions of type auth and generic, in the foreground, not {action}',
    check: 'Save the integration first, and name it by its id.',
  },
  action_already_running: {
    next: 'retry',
    status: 500,
    text: '{action} of integration {integration} is already running',
    check:
      'Nothing is lost; the command runs when the present run ends, or 30 s after the process of that run has died.',
  },
  delivery_in_flight: {
    next: 'retry',
    status: 500,
    text: 'Another worker is processing the message {id}',
    check: 'Nothing is lost; the message is redelivered, and answered once that worker has finished.',
  },
  action_busy: {
    next: 'retry',
    status: 503,
    text: 'Too many actions are running; try again',
    check: 'ACTIONS_MAX_RUNNING and ACTIONS_MAX_RUNNING_PER_INTEGRATION, and how long the running ones take.',
  },
  action_timeout: {
    next: 'retry',
    status: 504,
    text: '{action} did not finish within {seconds} s',
    check: 'The other side of the action; MAX_ACTION_EXECUTION_TIME and the timeout of the action.',
  },
  action_lease_lost: {
    next: 'retry',
    status: 500,
    text: '{action} of integration {integration} was stopped because its lease could not be kept',
    check: 'The key-value store: it was unavailable, or the process was paused for too long.',
  },
  action_stopped: {
    next: 'retry',
    status: 503,
    text: '{action} was stopped because the process is ending',
    check: 'Usual when a service is replaced; the command is redelivered.',
  },
  state_unreadable: {
    next: 'alert',
    status: 500,
    text: 'The stored state {key} cannot be read: {problem}',
    check: 'The value of that key in the state database; removing it starts the action from its configured start.',
  },
  request_malformed: {
    next: 'dead',
    status: 422,
    text: 'The request cannot be read: {problem}',
    check: 'The sender; of pushes `ranger-relay dlq show <id>` prints the body as it came.',
  },
  caller_unauthorized: {
    next: 'skip',
    status: 401,
    text: 'The bearer token is missing or not accepted',
    check: 'AUTH_MODE, AUTH_TOKEN and what the caller sends as Authorization.',
  },
  identity_provider_unavailable: {
    next: 'retry',
    status: 503,
    text: 'The keys of the identity provider {issuer} are unavailable: {reason}',
    check: 'AUTH_OIDC_ISSUER, and HTTP_ALLOWED_NETWORKS when it is on a private network; callers retry.',
  },
});
