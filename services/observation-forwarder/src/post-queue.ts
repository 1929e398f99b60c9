import { chunkSize, type ListAnswer } from '@ranger-relay/platform';

/** Items of one lane to post. */
export interface Posting<T> {
  readonly count: number;
  /** True when these items must not share a call with other lanes' items. */
  readonly alone: boolean;
  /** Called right before the call. @throws when the items must not be sent, or no longer */
  prepare(): Promise<readonly T[]>;
  /** Asked right before the call, because other postings may have been prepared for long: true when the items must not be sent any more. */
  isStopped(): boolean;
}

/**
 * Limits the calls in flight per integration, and combines ready items of several lanes into one call. Each lane
 * receives the part of the response that concerns its own items.
 */
export interface PostQueue<T> {
  /** @throws what `prepare` or the call throws */
  post(integrationId: string, posting: Posting<T>): Promise<ListAnswer>;
}

/** Thrown before a call when the partition was revoked, or the integration is waiting by now. */
export class Stopped extends Error {}

interface Entry<T> {
  readonly posting: Posting<T>;
  alone: boolean;
  readonly resolve: (answer: ListAnswer) => void;
  readonly reject: (error: unknown) => void;
}

interface Ready<T> {
  readonly entry: Entry<T>;
  readonly items: readonly T[];
}

interface Queue<T> {
  running: number;
  waiting: Entry<T>[];
}

/** Removes and returns the first waiting entry with the later ones that fit into the same call. */
const takeGroup = <T>(queue: Queue<T>): Entry<T>[] => {
  const [first, ...rest] = queue.waiting;
  if (!first) return [];
  const group = [first];
  let count = first.posting.count;
  for (const entry of first.alone ? [] : rest) {
    if (entry.alone || count + entry.posting.count > chunkSize) continue;
    group.push(entry);
    count += entry.posting.count;
  }
  queue.waiting = queue.waiting.filter((entry) => !group.includes(entry));
  return group;
};

/** The part of a response for the items from `start` on; undefined when they must be posted again. */
const partOf = (answer: ListAnswer, start: number, count: number): ListAnswer | undefined => {
  if (answer.kind === 'accepted') return { kind: 'accepted', ids: answer.ids.slice(start, start + count) };
  if (answer.kind === 'refused_list') return undefined;
  const offenders = answer.offenders
    .map(({ index, reason }) => ({ index: index - start, reason }))
    .filter(({ index }) => index >= 0 && index < count);
  return offenders.length > 0 ? { kind: 'refused', offenders } : undefined;
};

/**
 * Creates the queue of one endpoint.
 * @param slots number of calls that an integration may have in flight
 */
export const createPostQueue = <T>(
  call: (integrationId: string, list: readonly T[]) => Promise<ListAnswer>,
  slots: (integrationId: string) => number,
): PostQueue<T> => {
  const queues = new Map<string, Queue<T>>();

  const prepare = async (group: readonly Entry<T>[]): Promise<Ready<T>[]> => {
    const prepared = await Promise.allSettled(group.map(({ posting }) => posting.prepare()));
    return prepared.flatMap((result, index) => {
      const entry = group[index] as Entry<T>;
      if (result.status === 'fulfilled' && !entry.posting.isStopped()) return [{ entry, items: result.value }];
      entry.reject(result.status === 'rejected' ? result.reason : new Stopped());
      return [];
    });
  };

  const answerAll = (queue: Queue<T>, ready: readonly Ready<T>[], answer: ListAnswer): void => {
    const again: Entry<T>[] = [];
    let start = 0;
    for (const { entry, items } of ready) {
      const part = ready.length === 1 ? answer : partOf(answer, start, items.length);
      start += items.length;
      if (part) entry.resolve(part);
      else again.push(entry);
    }
    // The platform refused the list without naming an item: each lane's items are posted alone to get their own response.
    for (const entry of again) entry.alone ||= answer.kind === 'refused_list';
    queue.waiting.unshift(...again);
  };

  const run = async (id: string, queue: Queue<T>): Promise<void> => {
    const ready = await prepare(takeGroup(queue));
    if (ready.length === 0) return;
    try {
      const list = ready.flatMap(({ items }) => items);
      answerAll(queue, ready, await call(id, list));
    } catch (thrown) {
      for (const { entry } of ready) entry.reject(thrown);
    }
  };

  const pump = (id: string, queue: Queue<T>): void => {
    while (queue.waiting.length > 0 && queue.running < slots(id)) {
      queue.running += 1;
      void run(id, queue).finally(() => {
        queue.running -= 1;
        pump(id, queue);
      });
    }
    if (queue.running === 0 && queue.waiting.length === 0) queues.delete(id);
  };

  return {
    post(integrationId, posting) {
      const queue = queues.get(integrationId) ?? { running: 0, waiting: [] };
      queues.set(integrationId, queue);
      return new Promise((resolve, reject) => {
        queue.waiting.push({ posting, alone: posting.alone, resolve, reject });
        pump(integrationId, queue);
      });
    },
  };
};
