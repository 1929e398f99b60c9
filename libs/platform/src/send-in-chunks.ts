import { isRelayError, type RelayError } from '@ranger-relay/errors';
import type { ListAnswer } from './list-answer.ts';

/** How a list was taken, with what its answer brought. */
export interface Accepted {
  readonly kind: 'accepted';
}

type Refusal = Exclude<ListAnswer, Accepted>;

/** Posts one list of at most 100 entries. */
export type PostList<E, A extends Accepted = Accepted> = (entries: readonly E[]) => Promise<A | Refusal>;

/** What became of the entries; each is awaited before the next call goes out. */
export interface Settle<E, A extends Accepted = Accepted> {
  accepted(entries: readonly E[], answer: A): Promise<void>;
  refused(entry: E, code: string, reason: string): Promise<void>;
}

/** Most items in one call. */
export const chunkSize = 100;

const isAccepted = <A extends Accepted>(answer: A | Refusal): answer is A => answer.kind === 'accepted';

const deadCode = (error: unknown): RelayError | undefined =>
  isRelayError(error) && error.next === 'dead' ? error : undefined;

const refuseAll = async <E>(
  entries: readonly E[],
  code: string,
  reason: string,
  settle: Pick<Settle<E>, 'refused'>,
): Promise<void> => {
  for (const entry of entries) await settle.refused(entry, code, reason);
};

const sendList = async <E, A extends Accepted>(
  entries: readonly E[],
  post: PostList<E, A>,
  settle: Settle<E, A>,
): Promise<void> => {
  if (entries.length === 0) return;
  let answer: A | Refusal;
  try {
    answer = await post(entries);
  } catch (error) {
    const dead = deadCode(error);
    if (!dead) throw error;
    return refuseAll(entries, dead.code, dead.message, settle);
  }
  if (isAccepted(answer)) return settle.accepted(entries, answer);
  if (answer.kind === 'refused' && answer.offenders.length > 0) {
    const reasons = new Map(answer.offenders.map(({ index, reason }) => [index, reason]));
    for (const [index, reason] of reasons) await settle.refused(entries[index] as E, 'item_refused', reason);
    return sendList(
      entries.filter((_, index) => !reasons.has(index)),
      post,
      settle,
    );
  }
  const reason = answer.kind === 'refused_list' ? answer.reason : 'refused without naming an item';
  if (entries.length === 1) return settle.refused(entries[0] as E, 'item_refused', reason);
  const half = Math.ceil(entries.length / 2);
  await sendList(entries.slice(0, half), post, settle);
  await sendList(entries.slice(half), post, settle);
};

/**
 * Sends entries in order, in chunks. A list that the platform refuses is searched for its offenders (named by the answer, else by
 * halving); the rest is posted again. What is accepted or refused is settled before the next call.
 * @throws RelayError transient failures; what was settled before stays settled
 */
export const sendInChunks = async <E, A extends Accepted>(
  entries: readonly E[],
  post: PostList<E, A>,
  settle: Settle<E, A>,
): Promise<void> => {
  for (let start = 0; start < entries.length; start += chunkSize)
    await sendList(entries.slice(start, start + chunkSize), post, settle);
};
