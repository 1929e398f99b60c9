import { jsonOf, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import type { Shell } from '@ranger-relay/terminal';
import { z } from 'zod';
import { type Place, postToService } from '../actions/http.ts';
import { masked } from '../actions/masked.ts';
import type { Overrides } from './place.ts';

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

/** A little longer than any run may take (MAX_ACTION_EXECUTION_TIME is 3,600 s at most). */
const totalMs = 3_630_000;

const skippedSchema = z.object({ skipped: z.literal(true), reason: z.string() });
const failureSchema = z.object({ detail: z.looseObject({ error: z.string() }) });
const malformedSchema = z.object({ detail: z.array(z.object({ loc: z.array(z.unknown()), msg: z.string() })) });

const path = '/v1/actions/execute';

/** Address of the call. */
export const executeUrl = ({ url }: Place): string => `${url}${path}`;

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
  const json = jsonOf(answer.body);
  if (answer.status !== 200) return failureOf(place, answer, json);
  if (json === undefined) throw unreadable(place, 'its answer is not JSON');
  const skipped = skippedSchema.safeParse(json);
  return skipped.success
    ? { outcome: 'skipped', reason: skipped.data.reason }
    : { outcome: 'complete', result: masked(json) };
};

/**
 * Lets a service run an action and waits for its end.
 * @throws RelayError `service_unreachable`, `service_caller_refused`, `service_answer_unreadable`, `interrupted`
 */
export const executeAction = async (
  shell: Shell,
  place: Place,
  body: ExecuteBody,
  token: string | undefined,
): Promise<Ran> => {
  const call = { path, json: body, token, totalMs, interrupted: 'the run continues in the service' };
  return readAnswer(place, await postToService(shell, place, call));
};
