import { unavailable } from './classify.ts';
import type { ListAnswer } from './list-answer.ts';

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
