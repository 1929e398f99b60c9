import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import { z } from 'zod';
import { masked } from '../actions/masked.ts';
import type { Overrides, Place } from './place.ts';

/** Body of `POST /v1/actions/execute` (platform contract, runner). */
export interface ExecuteBody {
  readonly integration_id: string;
  readonly action_id: string;
  readonly run_in_background: false;
  readonly config_overrides: Overrides | null;
  readonly triggered_by: 'manual' | 'auto';
}

/** Outcome of a run, as `--output json` prints it. Secrets are masked. */
export type Ran =
  | { readonly outcome: 'complete'; readonly result: unknown }
  | { readonly outcome: 'skipped'; readonly reason: string }
  /** `detail` is the service's description of the failure. */
  | { readonly outcome: 'failed'; readonly http_status: number; readonly error: string; readonly detail: unknown };

/** Dependencies of a call. */
export interface CallOptions {
  readonly http: HttpClient;
  readonly token: string | undefined;
  readonly signal: AbortSignal;
}

/** A little longer than any run may take (MAX_ACTION_EXECUTION_TIME is 3,600 s at most). */
const totalMs = 3_630_000;
const connectMs = 5_000;

const skippedSchema = z.object({ skipped: z.literal(true), reason: z.string() });
const failureSchema = z.object({ detail: z.looseObject({ error: z.string() }) });
const malformedSchema = z.object({ detail: z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() })) });

/** Address of the call. */
export const executeUrl = ({ url }: Place): string => `${url}/v1/actions/execute`;

const jsonOf = (answer: HttpAnswer): unknown => {
  try {
    return answer.json();
  } catch {
    return undefined;
  }
};

const unreadable = ({ url: address, service }: Place, problem: string): RelayError =>
  new RelayError('service_answer_unreadable', { details: { address, service, problem } });

const failureOf = (place: Place, { status }: HttpAnswer, json: unknown): Ran => {
  const failure = failureSchema.safeParse(json);
  if (failure.success)
    return {
      outcome: 'failed',
      http_status: status,
      error: failure.data.detail.error,
      detail: masked(failure.data.detail),
    };
  const malformed = malformedSchema.safeParse(json);
  if (!malformed.success) throw unreadable(place, `it answered ${status} without an error body`);
  const error = malformed.data.detail.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`).join('; ');
  return { outcome: 'failed', http_status: status, error, detail: masked(malformed.data.detail) };
};

const readAnswer = (place: Place, answer: HttpAnswer): Ran => {
  const json = jsonOf(answer);
  if (answer.status !== 200) return failureOf(place, answer, json);
  if (json === undefined) throw unreadable(place, 'its answer is not JSON');
  const skipped = skippedSchema.safeParse(json);
  return skipped.success
    ? { outcome: 'skipped', reason: skipped.data.reason }
    : { outcome: 'complete', result: masked(json) };
};

const refused = ({ url: address, service }: Place, token: string | undefined): RelayError => {
  const problem = token === undefined ? 'no token is configured' : 'it does not accept the token';
  return new RelayError('service_caller_refused', { details: { address, service, problem } });
};

/**
 * Lets a service run an action and waits for its end.
 * @throws RelayError `service_unreachable`, `service_caller_refused`, `service_answer_unreadable`, `interrupted`
 */
export const executeAction = async (place: Place, body: ExecuteBody, parts: CallOptions): Promise<Ran> => {
  const { http, token, signal } = parts;
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const request = { method: 'POST', url: executeUrl(place), headers, json: body, connectMs, totalMs, signal } as const;
  try {
    const answer = await http.request(request);
    if (answer.status === 401) throw refused(place, token);
    return readAnswer(place, answer);
  } catch (error) {
    if (signal.aborted)
      throw new RelayError('interrupted', { details: { state: 'the run continues in the service' }, cause: error });
    if (!isRelayError(error) || !error.code.startsWith('http_')) throw error;
    const { url: address, service } = place;
    throw new RelayError('service_unreachable', { details: { address, service, reason: error.message }, cause: error });
  }
};
