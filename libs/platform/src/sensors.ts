import type { Message, Observation } from '@ranger-relay/contracts';
import { cleanTexts, isRelayError } from '@ranger-relay/errors';
import type { HttpAnswer, HttpClient } from '@ranger-relay/http';
import type { Random } from '@ranger-relay/runtime';
import { noAnswer, unavailable } from './classify.ts';
import { type ListAnswer, readListAnswer } from './list-answer.ts';
import type { ApiKey, ApiKeys } from './api-key.ts';

type Accepted = Extract<ListAnswer, { kind: 'accepted' }>;

/** Callbacks for the entries; each is awaited before the next list is posted. */
export interface Settle<E> {
  /** `entries` that have an id in the response, in order; at least one. */
  accepted(entries: readonly E[], answer: Accepted): Promise<void>;
  refused(entry: E, code: string, reason: string): Promise<void>;
  /**
   * The call failed, or the response does not acknowledge these entries. `halve` searches them for the failing one, `leave` continues behind
   * them; an exception ends the sending. Default: the error is thrown.
   */
  failed?(entries: readonly E[], error: unknown): Promise<'halve' | 'leave'>;
  /** False for an entry that must not be sent any more; default: true for all. */
  open?(entry: E): boolean;
}

/** Maximum number of items in one call. */
export const chunkSize = 100;

/** A `delivery_attempt` that no earlier try of an item has carried, though nobody remembers them: random, from 2 up. */
export const newDeliveryAttempt = ({ next }: Random): number => Math.floor(next() * (Number.MAX_SAFE_INTEGER - 2)) + 2;

/**
 * Sends entries in order, in chunks of at most `size()`. When the platform refuses a list, finds the offenders by the response, or else by
 * halving, and posts the rest again. Settles accepted and refused entries before the next call.
 * @param post posts one list of at most 100 entries
 * @throws RelayError transient failures; entries settled before stay settled
 */
export const sendInChunks = async <E>(
  all: readonly E[],
  post: (entries: readonly E[]) => Promise<ListAnswer>,
  settle: Settle<E>,
  size: () => number = () => chunkSize,
): Promise<void> => {
  const sendHalves = async (entries: readonly E[]): Promise<void> => {
    const half = Math.ceil(entries.length / 2);
    await sendList(entries.slice(0, half));
    await sendList(entries.slice(half));
  };
  const afterFailure = async (entries: readonly E[], error: unknown): Promise<void> => {
    if (!settle.failed) throw error;
    if ((await settle.failed(entries, error)) === 'leave') return;
    if (entries.length === 1) throw error;
    await sendHalves(entries);
  };
  const afterAcceptance = async (entries: readonly E[], answer: Accepted): Promise<void> => {
    const taken = entries.filter((_, index) => answer.ids[index] !== undefined);
    if (taken.length > 0) await settle.accepted(taken, answer);
    if (taken.length === entries.length) return;
    const rest = entries.filter((_, index) => answer.ids[index] === undefined);
    const reason = `it acknowledged ${taken.length} of ${entries.length} items`;
    await afterFailure(rest, unavailable(reason, undefined, true));
  };
  const sendList = async (list: readonly E[]): Promise<void> => {
    const entries = settle.open ? list.filter((entry) => settle.open?.(entry)) : list;
    if (entries.length === 0) return;
    let answer: ListAnswer;
    try {
      answer = await post(entries);
    } catch (error) {
      return afterFailure(entries, error);
    }
    if (answer.kind === 'accepted') return afterAcceptance(entries, answer);
    if (answer.kind === 'refused' && answer.offenders.length > 0) {
      const reasons = new Map(answer.offenders.map(({ index, reason }) => [index, reason]));
      for (const [index, reason] of reasons) await settle.refused(entries[index] as E, 'item_refused', reason);
      return sendList(entries.filter((_, index) => !reasons.has(index)));
    }
    const reason = answer.kind === 'refused_list' ? answer.reason : 'refused without naming an item';
    if (entries.length === 1) return settle.refused(entries[0] as E, 'item_refused', reason);
    return sendHalves(entries);
  };
  for (let start = 0; start < all.length;) {
    const end = start + size();
    await sendList(all.slice(start, end));
    start = end;
  }
};

/** Is told whether the platform accepted the key of an integration, after each call that shows it. */
export type KeyListener = (integrationId: string, accepted: boolean) => void;

const nobody: KeyListener = () => undefined;

/**
 * Makes a call with the sensors API key of an integration. When the platform refuses the key, fetches it again and repeats the call once, even
 * with an equal key, because a gateway may refuse a valid key for a moment. What may have been stored is not repeated here: it would look the same.
 * @throws RelayError of the call, and of fetching the key
 */
const withKey = async <T>(
  keys: ApiKeys,
  judged: KeyListener,
  integrationId: string,
  call: (key: string) => Promise<T>,
): Promise<T> => {
  const attempt = (key: ApiKey): Promise<T> =>
    call(key.value).then(
      (answer) => {
        judged(integrationId, true);
        return answer;
      },
      (error: unknown) => {
        if (isRelayError(error, 'api_key_refused')) {
          keys.refused(integrationId, key);
          judged(integrationId, false);
        }
        throw error;
      },
    );
  const first = await keys.apiKey(integrationId);
  try {
    return await attempt(first);
  } catch (error) {
    if (!isRelayError(error, 'api_key_refused') || error.ambiguous) throw error;
    const second = await keys.apiKey(integrationId);
    // Requested moments ago: there is no other key yet.
    if (second === first) throw error;
    return attempt(second);
  }
};

/** Options of a call. */
export interface PostOptions {
  readonly traceparent?: string;
  readonly signal?: AbortSignal;
}

/** One call of the sensors API. */
export interface SensorsRequest {
  readonly method: 'POST' | 'PATCH';
  /** Path below `/v2/`, with a trailing slash. */
  readonly path: string;
  /** One of `json` and `body`. */
  readonly json?: unknown;
  readonly body?: Uint8Array;
  /** Content type of `body`. */
  readonly type?: string;
}

/**
 * Makes one call with the key of an integration and evaluates the response.
 * @throws RelayError what `read` throws; `platform_unavailable` without a response (`ambiguous` when the platform may have processed the call)
 */
type SensorsCall = <T>(
  integrationId: string,
  request: SensorsRequest,
  options: PostOptions,
  read: (answer: HttpAnswer) => T,
) => Promise<T>;

/** Time limits of a call of the sensors API (platform contract, retry budgets; device contract, one bad neighbour), ms. */
export const sensorsLimits = { connectMs: 2_000, firstByteMs: 10_000, totalMs: 30_000 };

/** Creates the caller of `baseUrl` (without a trailing slash). */
export const createSensorsCall = (
  baseUrl: string,
  http: HttpClient,
  keys: ApiKeys,
  judged: KeyListener = nobody,
): SensorsCall => {
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
    withKey(keys, judged, integrationId, async (key) => read(await ask(request, options, key)));
};

/**
 * The platform's sensors API. Lists have at most 100 items; the caller splits longer ones. A refused key is fetched again, and the list posted
 * once more with another key.
 * @throws RelayError for everything that does not concern the items: `api_key_refused`, `integration_gone`, `platform_unavailable` (`ambiguous`
 *   when the platform may have stored the list), `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`
 */
export interface Sensors {
  postObservations(integrationId: string, list: readonly Observation[], options?: PostOptions): Promise<ListAnswer>;
  postMessages(integrationId: string, list: readonly Message[], options?: PostOptions): Promise<ListAnswer>;
}

/** Creates the client of `baseUrl` (without a trailing slash). */
export const createSensors = (baseUrl: string, http: HttpClient, keys: ApiKeys, judged?: KeyListener): Sensors => {
  const call = createSensorsCall(baseUrl, http, keys, judged);
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
