import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import { z } from 'zod';

/** What became of a pushed text. */
export type Pushed =
  | { readonly kind: 'accepted' }
  /** Taken over, and not sent: for good, or held for a person. */
  | { readonly kind: 'given_up'; readonly reason: string }
  /** The platform would deliver it again. */
  | { readonly kind: 'again'; readonly status: number; readonly reason: string };

/** Where a push goes. */
export interface PushTarget {
  /** Base address of the message pusher. */
  readonly address: string;
  readonly token: string | undefined;
}

const service = 'message-pusher';
const connectMs = 5_000;
/** Longer than the longest run. */
const totalMs = 600_000;

const bodySchema = z.looseObject({
  accepted: z.array(z.unknown()).catch([]),
  failed: z.array(z.looseObject({ error: z.string() })).catch([]),
  reason: z.string().optional().catch(undefined),
  detail: z.looseObject({ error: z.string() }).optional().catch(undefined),
});

const readAnswer = (status: number, json: unknown): Pushed => {
  const { accepted, failed, reason, detail } = bodySchema.catch({ accepted: [], failed: [] }).parse(json);
  const why = failed[0]?.error ?? detail?.error ?? reason;
  if (status !== 200) return { kind: 'again', status, reason: why ?? 'it gave no reason' };
  return accepted.length > 0
    ? { kind: 'accepted' }
    : { kind: 'given_up', reason: why ?? 'nothing that takes it is there' };
};

/**
 * Posts a push as the platform does, once.
 * @throws RelayError `service_unreachable`, `service_caller_refused`, `interrupted`
 */
export const postPush = async (
  { address, token }: PushTarget,
  body: object,
  http: Pick<HttpClient, 'request'>,
  signal: AbortSignal,
): Promise<Pushed> => {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  try {
    const url = `${address}/push-data`;
    const answer = await http.request({ method: 'POST', url, headers, json: body, connectMs, totalMs, signal });
    const problem = token === undefined ? 'no token is known here' : 'its token is not one of those that it takes';
    if (answer.status === 401)
      throw new RelayError('service_caller_refused', { details: { address, service, problem } });
    return readAnswer(answer.status, answer.json());
  } catch (error) {
    if (signal.aborted)
      throw new RelayError('interrupted', { details: { state: 'the text may have been sent' }, cause: error });
    if (!isRelayError(error) || !error.code.startsWith('http_')) throw error;
    throw new RelayError('service_unreachable', { details: { address, service, reason: error.message }, cause: error });
  }
};
