import type { Message, Observation } from '@ranger-relay/contracts';
import { cleanTexts, isRelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import { noAnswer, unavailable } from './classify.ts';
import { type ListAnswer, readListAnswer } from './list-answer.ts';
import type { ApiKey, ApiKeys } from './api-key.ts';

/** A list that was taken: the object id of each entry, undefined for one that stays due. */
export interface Accepted {
  readonly kind: 'accepted';
  readonly ids: readonly (string | undefined)[];
}

type Refusal = Exclude<ListAnswer, Accepted>;

/** Posts one list of at most 100 entries. */
export type PostList<E, A extends Accepted = Accepted> = (entries: readonly E[]) => Promise<A | Refusal>;

/** What becomes of the entries; each call is awaited before the next list is posted. */
export interface Settle<E, A extends Accepted = Accepted> {
  /** `entries` of the answer that have an id, in order. */
  accepted(entries: readonly E[], answer: A): Promise<void>;
  refused(entry: E, code: string, reason: string): Promise<void>;
  /**
   * The call failed, or its answer does not acknowledge these. `halve` searches them for the one that fails, `leave` goes on behind them.
   * Throwing ends the sending; left out, the error is thrown.
   */
  failed?(entries: readonly E[], error: unknown): Promise<'halve' | 'leave'>;
  /** False for an entry that must not be sent (any more); all may when left out. */
  open?(entry: E): boolean;
}

/** Most items in one call. */
export const chunkSize = 100;

const isAccepted = <A extends Accepted>(answer: A | Refusal): answer is A => answer.kind === 'accepted';

const sendHalves = async <E, A extends Accepted>(
  entries: readonly E[],
  post: PostList<E, A>,
  settle: Settle<E, A>,
): Promise<void> => {
  const half = Math.ceil(entries.length / 2);
  await sendList(entries.slice(0, half), post, settle);
  await sendList(entries.slice(half), post, settle);
};

const afterFailure = async <E, A extends Accepted>(
  entries: readonly E[],
  error: unknown,
  post: PostList<E, A>,
  settle: Settle<E, A>,
): Promise<void> => {
  if (!settle.failed) throw error;
  if ((await settle.failed(entries, error)) === 'leave') return;
  if (entries.length === 1) throw error;
  await sendHalves(entries, post, settle);
};

const sendList = async <E, A extends Accepted>(
  all: readonly E[],
  post: PostList<E, A>,
  settle: Settle<E, A>,
): Promise<void> => {
  const entries = settle.open ? all.filter((entry) => settle.open?.(entry)) : all;
  if (entries.length === 0) return;
  let answer: A | Refusal;
  try {
    answer = await post(entries);
  } catch (error) {
    return afterFailure(entries, error, post, settle);
  }
  if (isAccepted(answer)) {
    const { ids } = answer;
    const taken = entries.filter((_, index) => ids[index] !== undefined);
    await settle.accepted(taken, answer);
    if (taken.length === entries.length) return;
    const error = unavailable(`it acknowledged ${taken.length} of ${entries.length} items`, undefined, true);
    const rest = entries.filter((_, index) => ids[index] === undefined);
    return afterFailure(rest, error, post, settle);
  }
  if (answer.kind === 'refused' && answer.offenders.length > 0) {
    const reasons = new Map(answer.offenders.map(({ index, reason }) => [index, reason]));
    for (const [index, reason] of reasons) await settle.refused(entries[index] as E, 'item_refused', reason);
    const rest = entries.filter((_, index) => !reasons.has(index));
    return sendList(rest, post, settle);
  }
  const reason = answer.kind === 'refused_list' ? answer.reason : 'refused without naming an item';
  if (entries.length === 1) return settle.refused(entries[0] as E, 'item_refused', reason);
  return sendHalves(entries, post, settle);
};

/**
 * Sends entries in order, in chunks of at most `size()`. A list that the platform refuses is searched for its offenders (named by the answer, else by
 * halving); the rest is posted again. What is accepted or refused is settled before the next call.
 * @throws RelayError transient failures; what was settled before stays settled
 */
export const sendInChunks = async <E, A extends Accepted>(
  entries: readonly E[],
  post: PostList<E, A>,
  settle: Settle<E, A>,
  size: () => number = () => chunkSize,
): Promise<void> => {
  for (let start = 0; start < entries.length;) {
    const end = start + size();
    await sendList(entries.slice(start, end), post, settle);
    start = end;
  }
};

/**
 * Makes a call with the sensors API key of an integration. When the key is refused, it is fetched again and the call made once more at
 * once, with the same key too: a gateway may refuse a good key for a moment.
 * @throws RelayError of the call, and of fetching the key
 */
const withKey = async <T>(keys: ApiKeys, integrationId: string, call: (key: string) => Promise<T>): Promise<T> => {
  const attempt = (key: ApiKey): Promise<T> =>
    call(key.value).catch((error: unknown) => {
      if (isRelayError(error, 'api_key_refused')) keys.refused(integrationId, key);
      throw error;
    });
  const first = await keys.apiKey(integrationId);
  try {
    return await attempt(first);
  } catch (error) {
    if (!isRelayError(error, 'api_key_refused')) throw error;
    const second = await keys.apiKey(integrationId);
    // Asked for moments ago: there is no other one yet.
    if (second === first) throw error;
    return attempt(second);
  }
};

/** What may go along with a call. */
export interface PostOptions {
  readonly traceparent?: string;
  readonly signal?: AbortSignal;
  /** How often it is tried at most; as its budget says when left out. */
  readonly tries?: number | undefined;
}

/** One call of the sensors API. */
export interface SensorsRequest {
  readonly method: 'POST' | 'PATCH';
  /** Below `/v2/`, with a last slash. */
  readonly path: string;
  /** One of `json` and `body`. */
  readonly json?: unknown;
  readonly body?: Uint8Array;
  /** Content type of `body`. */
  readonly type?: string;
}

/**
 * Makes one call with the key of an integration and reads its answer.
 * @throws RelayError what `read` throws; `platform_unavailable` without an answer (`ambiguous` when it may have been carried out)
 */
type SensorsCall = <T>(
  integrationId: string,
  request: SensorsRequest,
  options: PostOptions,
  read: (answer: HttpAnswer) => T,
) => Promise<T>;

/** Times of one call of the sensors API (platform contract, retry budgets; device contract, one bad neighbour), ms. */
export const sensorsLimits = { connectMs: 2_000, firstByteMs: 10_000, totalMs: 30_000 };

/** Makes the caller of `baseUrl` (without a last slash). */
export const createSensorsCall = (baseUrl: string, http: HttpClient, keys: ApiKeys): SensorsCall => {
  const ask = async (
    { method, path, json, body, type }: SensorsRequest,
    { traceparent, signal }: PostOptions,
    key: string,
  ): Promise<HttpAnswer> => {
    const request = {
      method,
      url: `${baseUrl}/v2/${path}`,
      headers: {
        apikey: key,
        ...(traceparent ? { traceparent } : {}),
        ...(type ? { 'content-type': type } : {}),
      },
      ...(body ? { body } : { json: cleanTexts(json) }),
      ...(signal ? { signal } : {}),
      ...sensorsLimits,
    } as const;
    return http.request(request).catch((error: unknown) => {
      throw noAnswer(error, true);
    });
  };

  return (integrationId, request, options, read) =>
    withKey(keys, integrationId, async (key) => read(await ask(request, options, key)));
};

/**
 * The platform's sensors API. Lists hold at most 100 items; the caller cuts them. A refused key is fetched again and the list posted
 * once more when the key is another.
 * @throws RelayError for everything that is not about the items: `api_key_refused`, `integration_gone`, `platform_unavailable`
 *   (`ambiguous` when the list may have been stored), `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`
 */
export interface Sensors {
  postObservations(integrationId: string, list: readonly Observation[], options?: PostOptions): Promise<ListAnswer>;
  postMessages(integrationId: string, list: readonly Message[], options?: PostOptions): Promise<ListAnswer>;
}

/** Makes the client of `baseUrl` (without a last slash). */
export const createSensors = (baseUrl: string, http: HttpClient, keys: ApiKeys): Sensors => {
  const call = createSensorsCall(baseUrl, http, keys);
  const post = (
    path: string,
    integrationId: string,
    list: readonly unknown[],
    options: PostOptions = {},
  ): Promise<ListAnswer> =>
    call(integrationId, { method: 'POST', path, json: list }, options, (answer) =>
      readListAnswer(answer, { integrationId, count: list.length }),
    );

  return {
    postObservations: (id, list, options) => post('observations/', id, list, options),
    postMessages: (id, list, options) => post('messages/', id, list, options),
  };
};
