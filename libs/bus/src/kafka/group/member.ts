import { type Backoff, type Clock, delayFor, endsWithin, type Logger, type Random } from '@ranger-relay/runtime';
import { problemOf } from '../client/problems.ts';
import { assign, type Assignment } from './assign.ts';
import { memberClaimOf, type Coordinator, type GroupWaits, type Joined, type Membership } from './coordinator.ts';

/** What a member of a group does with the partitions that it gets. */
export interface Work {
  /** Partitions that it works on now. */
  owned(): readonly number[];
  /** Takes partitions up; gives up when the signal is aborted. */
  start(partitions: readonly number[], signal: AbortSignal): Promise<void>;
  /** Lets partitions go: waits for their handlers up to the deadline and stores what is done. */
  stop(partitions: readonly number[], deadlineMs: number): Promise<void>;
}

/** What being a member needs. */
export interface MemberDependencies {
  readonly topic: string;
  readonly coordinator: Coordinator;
  readonly work: Work;
  readonly waits: GroupWaits & { readonly heartbeatMs: number; readonly handOverMs: number };
  /** How many partitions a topic has; 0 when it does not exist. Rejects while that cannot be known. */
  readonly partitionsOf: (topic: string) => Promise<number>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A member at work. */
export interface Member {
  /** Its place, for storing offsets; undefined while it has none. */
  place(): Membership | undefined;
  /** Has joined, has taken up what it got, and the group knows it. */
  settled(): boolean;
  /** For how long it has not been settled, ms; 0 while it is. */
  unsettledMs(): number;
  /** Resolves when it is settled for the first time, or when no broker could be reached: joining goes on, but is not worth a wait. */
  readonly joined: Promise<void>;
  /** Why it is not in the group; null when it is, or nothing failed yet. */
  trouble(): string | null;
  /** Lets everything go and leaves. */
  leave(deadlineMs: number): Promise<void>;
}

type Ending = 'rebalance' | 'fenced';
type Counts = ReadonlyMap<string, number>;

/** What one sharing brought. */
interface Entry {
  readonly at: Joined;
  /** What the group believes that it worked on: given to nobody else before it joins without it. */
  readonly claimed: readonly number[];
  readonly share: readonly number[];
  readonly counts: Counts;
}

const again: Backoff = { baseMs: 100, maxMs: 1_000, jitterMs: 100 };
/** How often the one who shares out looks whether a topic has more partitions than were shared. */
const recountMs = 5_000;
const leaveMs = 1_000;
/** After so many tries that reached no broker nobody waits for the first sharing any more. */
const hopelessTries = 3;

const over = (): DOMException => new DOMException('the generation is over', 'AbortError');

const differs = (before: Counts, now: Counts): boolean =>
  [...now].some(([topic, count]) => before.get(topic) !== count);

const quiet = <T>(promise: Promise<T>): Promise<T> => {
  promise.catch(() => undefined);
  return promise;
};

/** A broker said it; what else fails never reached one. */
const isAnswer = (error: unknown): boolean => problemOf(error).type !== '';

/** Joins a group and stays in it: takes up what it gets, lets go what it loses, and joins again whenever the group is shared anew. */
export const startMember = (parts: MemberDependencies): Member => {
  const { topic, coordinator, work, waits, partitionsOf, clock, random, log } = parts;
  const closing = new AbortController();
  /** Aborted first of all when it leaves: nothing is taken up any more. */
  const leaving = new AbortController();
  const joined = Promise.withResolvers<void>();
  let place: Membership | undefined;
  let unsettledSince: number | null = clock.monotonic();
  let memberId = '';
  /** When the last call was made that showed the coordinator that this member lives. */
  let seenAt = 0;
  /** The same, of the last one that was not told of a sharing: a sharing waits only so long for this member to join. */
  let calmAt = 0;
  let failures = 0;
  let trouble: string | null = null;

  /** Only a member that the coordinator does not know needs a new seat; its own old one would be waited for in every sharing. */
  const forget = (error: unknown): void => {
    if (problemOf(error).type === 'UNKNOWN_MEMBER_ID') memberId = '';
  };

  const count = async (topics: readonly string[]): Promise<Counts> => {
    const counts = new Map<string, number>();
    for (const name of topics) counts.set(name, await partitionsOf(name));
    return counts;
  };

  const join = async (): Promise<Entry> => {
    const claimed = [...work.owned()];
    const owned: Assignment = new Map([[topic, claimed]]);
    const self = { id: memberId, topics: [topic], owned, generation: place?.generation ?? -1 };
    const at = await coordinator.join(self, waits);
    memberId = at.memberId;
    if (closing.signal.aborted) {
      await coordinator.leave(memberId).catch(() => undefined);
      throw closing.signal.reason;
    }
    const counts = await count([...new Set(at.members.flatMap(({ topics }) => topics))]);
    const asked = clock.monotonic();
    const share = await coordinator.sync(
      at,
      assign(at.members, (name) => counts.get(name) ?? 0),
    );
    seenAt = asked;
    calmAt = asked;
    place = at;
    return { at, claimed, share: share.get(topic) ?? [], counts };
  };

  /** One sign of life; undefined when it did not get through. A group that is shared anew has heard it too. */
  const beat = async (at: Membership): Promise<'heard' | Ending | undefined> => {
    const asked = clock.monotonic();
    try {
      await coordinator.heartbeat(at);
      seenAt = Math.max(seenAt, asked);
      calmAt = Math.max(calmAt, asked);
      return 'heard';
    } catch (error) {
      forget(error);
      const standing = memberClaimOf(error);
      if (standing === 'rebalance') seenAt = Math.max(seenAt, asked);
      return standing === 'away' ? undefined : standing;
    }
  };

  /** Resolves when the coordinator must have given this member up, whatever calls are open. */
  const silence = async (signal: AbortSignal): Promise<'fenced'> => {
    for (;;) {
      const left = Math.min(seenAt + waits.sessionMs, calmAt + waits.rebalanceMs) - clock.monotonic();
      if (left <= 0) return 'fenced';
      await clock.sleep(left, signal);
    }
  };

  /** Keeps the place warm until the group is shared anew or the place is lost. */
  const stay = async (at: Membership, counts: Counts, signal: AbortSignal): Promise<Ending> => {
    let recountAt = clock.monotonic() + recountMs;
    for (;;) {
      await clock.sleep(waits.heartbeatMs, signal);
      const heard = await beat(at);
      if (heard === 'rebalance' || heard === 'fenced') return heard;
      if (counts.size === 0 || clock.monotonic() < recountAt) continue;
      recountAt = clock.monotonic() + recountMs;
      if (differs(counts, await count([...counts.keys()]).catch(() => counts))) return 'rebalance';
    }
  };

  /** Signs of life while something else is waited for; what they are answered matters only when it is done. */
  const keepWarm = async (at: Membership, signal: AbortSignal): Promise<never> => {
    for (;;) {
      await clock.sleep(waits.heartbeatMs, signal);
      await beat(at);
    }
  };

  /** Lets go what is lost, takes up what is new. True: the group still takes something for its own, and has to be shared once more. */
  const apply = async ({ share, claimed }: Entry, signal: AbortSignal): Promise<boolean> => {
    const lost = work.owned().filter((partition) => !share.includes(partition));
    const fresh = leaving.signal.aborted ? [] : share.filter((partition) => !work.owned().includes(partition));
    const starting =
      fresh.length > 0 ? work.start(fresh, AbortSignal.any([signal, leaving.signal])) : Promise.resolve();
    if (lost.length > 0) await work.stop(lost, waits.handOverMs);
    await starting;
    return claimed.some((partition) => !share.includes(partition));
  };

  /** Runs `task` beside others that end with it. */
  const during = async <T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const ended = new AbortController();
    try {
      return await task(AbortSignal.any([closing.signal, ended.signal]));
    } finally {
      ended.abort(over());
    }
  };

  /** Lets go everything at once: somebody else may have it by now. */
  const revoke = async (): Promise<void> => {
    place = undefined;
    const lost = work.owned();
    if (lost.length === 0) return;
    log.warn({ topic, partitions: lost }, 'the group continued without this member; it rejoins');
    await work.stop(lost, 0);
  };

  /** Waits while the place it has is kept warm, and gives it up once the coordinator must have done so. */
  const meanwhile = <T>(wait: Promise<T>): Promise<T> =>
    during(async (signal) => {
      if (!place) return wait;
      quiet(keepWarm(place, signal));
      const first = await Promise.race([wait.catch(() => undefined), silence(signal).catch(() => undefined)]);
      if (first === 'fenced') await revoke();
      return wait;
    });

  /** One generation: from joining to the reason to join again. */
  const generation = async (): Promise<Ending> => {
    const entry = await meanwhile(join());
    const { at, counts } = entry;
    failures = 0;
    trouble = null;
    return during(async (signal) => {
      const starting = new AbortController();
      const silent = quiet(silence(signal));
      const applying = quiet(apply(entry, AbortSignal.any([signal, starting.signal])));
      const staying = quiet(stay(at, counts, signal));
      const first = await Promise.race([staying, applying, silent]);
      if (first === 'fenced') return first;
      if (first === 'rebalance') {
        starting.abort(over());
        quiet(keepWarm(at, signal));
        return Promise.race([applying.then(() => first), silent]);
      }
      if (first) return 'rebalance';
      unsettledSince = null;
      joined.resolve();
      return Promise.race([staying, silent]);
    }).finally(() => (unsettledSince ??= clock.monotonic()));
  };

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        if ((await generation()) === 'fenced') await revoke();
      } catch (error) {
        if (closing.signal.aborted) return;
        trouble = problemOf(error).message;
        if (failures === 0) log.warn({ topic, problem: trouble }, 'joining the group failed');
        forget(error);
        if (memberClaimOf(error) === 'fenced') await revoke();
        await meanwhile(clock.sleep(delayFor(again, failures, random), closing.signal)).catch(() => undefined);
        failures += 1;
        if (failures >= hopelessTries && !isAnswer(error)) joined.resolve();
      }
    }
  };

  const running = run();

  return {
    place: () => place,
    settled: () => unsettledSince === null,
    unsettledMs: () => (unsettledSince === null ? 0 : clock.monotonic() - unsettledSince),
    joined: joined.promise,
    trouble: () => trouble,
    async leave(deadlineMs) {
      leaving.abort(new DOMException('the member leaves', 'AbortError'));
      await work.stop(work.owned(), deadlineMs);
      closing.abort(new DOMException('the member leaves', 'AbortError'));
      // Leaving also ends a join that waits for others.
      const limit = { clock, ms: leaveMs };
      if (memberId !== '')
        await endsWithin(
          limit,
          coordinator.leave(memberId).catch(() => undefined),
        );
      await endsWithin(
        limit,
        running.catch(() => undefined),
      );
      place = undefined;
    },
  };
};
