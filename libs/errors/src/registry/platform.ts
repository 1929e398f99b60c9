import { entries } from '../entry.ts';

/** Failures of calls to the platform, as seen by the retry loops. */
export const platformErrors = entries({
  platform_unavailable: {
    next: 'retry',
    status: 503,
    text: 'The platform is unreachable or unavailable: {reason}',
    check: 'Nothing is lost; events wait on the bus. Look at the platform.',
  },
  platform_rate_limited: {
    next: 'retry',
    status: 503,
    text: 'The platform throttles requests ({reason})',
    check: 'Usual under load; sending continues by itself.',
  },
  platform_token_refused: {
    next: 'retry',
    status: 503,
    text: 'The platform refuses the client credentials: {reason}',
    check: 'PLATFORM_CLIENT_ID, PLATFORM_CLIENT_SECRET and PLATFORM_TOKEN_URL.',
  },
  platform_forbidden: {
    next: 'retry',
    status: 503,
    text: 'The platform denies this to our client: {reason}',
    check: 'The permissions of the client of PLATFORM_CLIENT_ID at the platform; its credentials are accepted.',
  },
  api_key_refused: {
    next: 'retry',
    status: 503,
    confined: true,
    text: 'The platform refuses the API key of integration {integration}: {reason}',
    check: 'The key binding of the integration in the portal; events of it are parked and sent once it is fixed.',
  },
  registration_refused: {
    next: 'alert',
    status: 502,
    text: 'The platform does not register the integration type {type}: {reason}',
    check:
      'INTEGRATION_TYPE_SLUG and INTEGRATION_SERVICE_URL; the client of PLATFORM_CLIENT_ID must be a superuser there.',
  },
  integration_unknown: {
    next: 'dead',
    status: 404,
    text: 'The integration {integration} is not known to the platform',
    check: 'The id in the webhook address, and whether the integration was deleted.',
  },
  integration_other_type: {
    next: 'dead',
    status: 404,
    text: 'The integration {integration} is of the type {type}, but this service serves {slug}',
    check: 'The id, and INTEGRATION_TYPE_SLUG of the service; then replay the dead letters.',
  },
  integration_gone: {
    next: 'retry',
    status: 404,
    confined: true,
    text: 'The platform no longer has the integration {integration}',
    check:
      'Events of it are parked; after three such answers over 15 minutes they become dead letters. Replay these after the integration is back.',
  },
  item_refused: {
    next: 'dead',
    status: 400,
    text: 'The platform refuses the {kind}: {reason}',
    check: '`ranger-relay dlq show <id>` prints the item and the reason.',
  },
  item_fails: {
    next: 'dead',
    status: 502,
    text: 'The platform fails on the {kind} each time it is sent alone, while others are accepted: {reason}',
    check: '`ranger-relay dlq show <id>` prints the item; replay it after the platform is fixed.',
  },
  refusals_held: {
    next: 'retry',
    status: 503,
    confined: true,
    text: 'The platform refused more than 20 items of integration {integration} in a row and accepted none, the last one with: {reason}',
    check:
      'No further event of it becomes a dead letter; its events are parked. Fix the cause, or allow as many more dead letters with `ranger-relay dlq allow <integration>`.',
  },
});
