import { type RelayError, toRelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import { type ConditionKey, type Context, runProbe } from '@ranger-relay/runtime';

type Watching = Pick<Context, 'clock' | 'conditions' | 'lifecycle'>;

/** One failure may be that of one call; from this time without a success on, it is the platform's, ms. */
const confirmMs = 10_000;
const minFailures = 2;
const askEveryMs = 30_000;

const ignore = (): undefined => undefined;

/** Asks regularly while a condition is set: without traffic nobody would see it end. The call itself sets or clears it. */
const askWhileSet = (
  { clock, conditions, lifecycle }: Watching,
  condition: ConditionKey,
  ask: () => Promise<unknown>,
): void => {
  const once = () => ask().then(ignore, ignore);
  const stop = runProbe({ clock, conditions }, { ...condition, everyMs: askEveryMs, whileSet: true, ask: once });
  lifecycle.onStop(condition.name, () => void stop());
};

/**
 * Makes clients of one API of the platform set `platform_unavailable` when all calls have failed for 10 s (no response, or 5xx), and clear it at
 * the next other response.
 * @param upstream name of the API, as people know it
 * @param ask a call that shows whether the API works; for an API without one, the waiting events are tried again and again
 */
export const watchUpstream = (
  context: Watching,
  upstream: string,
  ask: () => Promise<unknown> = () => Promise.resolve(),
): ((http: HttpClient) => HttpClient) => {
  const { clock, conditions } = context;
  askWhileSet(context, { name: 'platform_unavailable', subject: upstream }, ask);
  let failures = 0;
  let failingSince: number | undefined;

  const succeeded = (): void => {
    failures = 0;
    failingSince = undefined;
    conditions.clear('platform_unavailable', upstream);
  };
  const failed = (reason: string): void => {
    failures += 1;
    failingSince ??= clock.monotonic();
    if (failures < minFailures || clock.monotonic() - failingSince < confirmMs) return;
    conditions.set('platform_unavailable', upstream, { reason, calls: failures });
  };

  return (http) => ({
    async request(request) {
      try {
        const answer = await http.request(request);
        if (answer.status >= 500) failed(`${answer.target} answered ${answer.status}`);
        else succeeded();
        return answer;
      } catch (error) {
        if (!request.signal?.aborted) failed(toRelayError(error).message);
        throw error;
      }
    },
    close: () => http.close(),
  });
};

/** Sets `platform_credentials_refused` while the platform issues no token for our credentials. */
export const tokenCondition = (
  context: Watching,
  ask: () => Promise<unknown>,
): ((error: RelayError | null) => void) => {
  const { conditions } = context;
  askWhileSet(context, { name: 'platform_credentials_refused', subject: '' }, ask);
  return (error) => {
    if (error === null) conditions.clear('platform_credentials_refused', '');
    else if (error.code === 'platform_token_refused')
      conditions.set('platform_credentials_refused', '', { reason: error.message });
  };
};

/** Sets `api_key_refused` while the platform refuses the key of an integration. */
export const keyCondition =
  ({ conditions }: Pick<Context, 'conditions'>) =>
  (integrationId: string, accepted: boolean): void => {
    if (accepted) conditions.clear('api_key_refused', integrationId);
    else conditions.set('api_key_refused', integrationId);
  };
