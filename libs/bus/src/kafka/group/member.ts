import { type Backoff, type Clock, delayFor, endsWithin, type Logger, type Random } from '@ranger-relay/runtime';
import { problemOf } from '../client/problems.ts';
import { assign, type Assignment } from './assign.ts';
import { memberClaimOf, type Coordinator, type GroupWaits, type Joined, type Membership } from './coordinator.ts';

/** Runs the partitions that are assigned to a member. */
export interface Work {
  /** Partitions that it runs now. */
  owned(): readonly number[];
  /** Starts partitions, until the signal is aborted. */
  start(partitions: readonly number[], signal: AbortSignal): Promise<void>;
  /** Stops partitions: waits for their handlers up to the deadline and commits. */
  stop(partitions: readonly number[], deadlineMs: number): Promise<void>;
}

export interface MemberDependencies {
  readonly topic: string;
  readonly coordinator: Coordinator;
  readonly work: Work;
  readonly waits: GroupWaits & { readonly heartbeatMs: number; readonly handOverMs: number };
  /** Whether the member keeps its partitions while no coordinator answers, although another member may have them by now. */
  readonly keepsWhileAway?: boolean;
  /** Number of partitions of a topic; 0 when it does not exist. Rejects while the number cannot be determined. */
  readonly partitionsOf: (topic: string) => Promise<number>;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
}

/** A member of a group. */
export interface Member {
  /** Its membership, for commits; undefined while it has none. */
  membership(): Membership | undefined;
  /** False once its session must have expired at the coordinator: another member may have its partitions by now. */
  owned(): boolean;
  /** Whether it is settled, or is in a rebalance that lasts no longer than one may; false once the group has continued without it. */
  ready(): boolean;
  /** For how long it has not been settled (has not joined, started its partitions, and reported them to the group), ms; 0 while it is. */
  unsettledMs(): number;
  /** Resolves when the member is settled for the first time, or when no broker is reachable; joining continues in that case. */
  readonly joined: Promise<void>;
  /** The reason why it is not in the group; null while it is, or before the first failure. */
  failure(): string | null;
  /** Stops all partitions and leaves the group. */
  leave(deadlineMs: number): Promise<void>;
}

type Ending = 'rebalance' | 'fenced';
type Counts = ReadonlyMap<string, number>;

/** The result of one rebalance. */
interface Entry {
  readonly at: Joined;
  /** Partitions that the member reported as its own: the group assigns them to no other member before it rejoins without them. */
  readonly claimed: readonly number[];
  readonly share: readonly number[];
  readonly counts: Counts;
}

const again: Backoff = { baseMs: 100, maxMs: 1_000, jitterMs: 100 };
/** Interval at which the group leader checks whether a topic has more partitions than were assigned, ms. */
const recountMs = 5_000;
const leaveMs = 1_000;
/** After this many attempts that reached no broker, callers do not wait for the first assignment any longer. */
const maxUnreachableTries = 3;

const over = (): DOMException => new DOMException('the generation is over', 'AbortError');

const differs = (before: Counts, now: Counts): boolean =>
  [...now].some(([topic, count]) => before.get(topic) !== count);

const ignore = (): undefined => undefined;

/** Handles a rejection that nobody may wait for. */
const withoutRejection = <T>(promise: Promise<T>): Promise<T> => (promise.catch(ignore), promise);

/** Joins a group and stays in it: starts and stops partitions as they are assigned and revoked, and rejoins at each rebalance. */
export const startMember = (parts: MemberDependencies): Member => {
  const { topic, coordinator, work, waits, keepsWhileAway = false, partitionsOf, clock, random, log } = parts;
  const closing = new AbortController();
  /** Aborted at the beginning of a leave, so that no partition is started any more. */
  const leaving = new AbortController();
  const joined = Promise.withResolvers<void>();
  let membership: Membership | undefined;
  /** Whether it has been settled since it was last revoked. */
  let isMember = false;
  let unsettledSince: number | null = clock.monotonic();
  let memberId = '';
  /** Start of the last call that showed the coordinator that this member is alive. */
  let seenAt = 0;
  /** Start of the last such call whose response did not announce a rebalance: a rebalance waits only so long for this member to rejoin. */
  let undisturbedAt = 0;
  /** End of the last heartbeat that nobody answered. */
  let unansweredAt = -Infinity;
  let failures = 0;
  let failure: string | null = null;

  /** Only a member that the coordinator does not know gets a new id; otherwise every rebalance would wait for the old one. */
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
    const self = { id: memberId, topics: [topic], owned, generation: membership?.generation ?? -1 };
    const at = await coordinator.join(self, waits);
    memberId = at.memberId;
    if (closing.signal.aborted) {
      await coordinator.leave(memberId).catch(ignore);
      throw closing.signal.reason;
    }
    const counts = await count([...new Set(at.members.flatMap(({ topics }) => topics))]);
    const asked = clock.monotonic();
    const share = await coordinator.sync(
      at,
      assign(at.members, (name) => counts.get(name) ?? 0),
    );
    seenAt = asked;
    undisturbedAt = asked;
    membership = at;
    return { at, claimed, share: share.get(topic) ?? [], counts };
  };

  /** Sends a heartbeat; undefined when it failed. A response that announces a rebalance proves that the heartbeat arrived. */
  const sendHeartbeat = async (at: Membership): Promise<'heard' | Ending | undefined> => {
    const asked = clock.monotonic();
    try {
      await coordinator.heartbeat(at);
      seenAt = Math.max(seenAt, asked);
      undisturbedAt = Math.max(undisturbedAt, asked);
      return 'heard';
    } catch (error) {
      forget(error);
      const claim = memberClaimOf(error);
      if (claim === 'rebalance') seenAt = Math.max(seenAt, asked);
      if (claim === 'away') unansweredAt = clock.monotonic();
      return claim === 'away' ? undefined : claim;
    }
  };

  const sessionEnd = (): number => {
    const end = Math.min(seenAt + waits.sessionMs, undisturbedAt + waits.rebalanceMs);
    return keepsWhileAway ? Math.max(end, unansweredAt + waits.sessionMs) : end;
  };

  /** Resolves when the session must have expired at the coordinator, whatever calls are open. */
  const sessionTimeout = async (signal: AbortSignal): Promise<'fenced'> => {
    for (;;) {
      const left = sessionEnd() - clock.monotonic();
      if (left <= 0) return 'fenced';
      await clock.sleep(left, signal);
    }
  };

  /** Sends heartbeats until the group rebalances or the membership is lost. */
  const heartbeatLoop = async (at: Membership, counts: Counts, signal: AbortSignal): Promise<Ending> => {
    let recountAt = clock.monotonic() + recountMs;
    for (;;) {
      await clock.sleep(waits.heartbeatMs, signal);
      const heard = await sendHeartbeat(at);
      if (heard === 'rebalance' || heard === 'fenced') return heard;
      if (counts.size === 0 || clock.monotonic() < recountAt) continue;
      recountAt = clock.monotonic() + recountMs;
      if (differs(counts, await count([...counts.keys()]).catch(() => counts))) return 'rebalance';
    }
  };

  /** Sends heartbeats during another wait; their results do not matter before it ends. */
  const sendHeartbeats = async (at: Membership, signal: AbortSignal): Promise<never> => {
    for (;;) {
      await clock.sleep(waits.heartbeatMs, signal);
      await sendHeartbeat(at);
    }
  };

  /**
   * Stops the revoked partitions and starts the new ones. True when the group still counts a revoked partition as
   * owned, so that another rebalance is needed.
   */
  const apply = async ({ share, claimed }: Entry, signal: AbortSignal): Promise<boolean> => {
    const lost = work.owned().filter((partition) => !share.includes(partition));
    const fresh = leaving.signal.aborted ? [] : share.filter((partition) => !work.owned().includes(partition));
    const starting =
      fresh.length > 0 ? work.start(fresh, AbortSignal.any([signal, leaving.signal])) : Promise.resolve();
    if (lost.length > 0) await work.stop(lost, waits.handOverMs);
    await starting;
    return claimed.some((partition) => !share.includes(partition));
  };

  /** Runs `task`; its signal is aborted when it ends. */
  const during = async <T>(task: (signal: AbortSignal) => Promise<T>): Promise<T> => {
    const ended = new AbortController();
    try {
      return await task(AbortSignal.any([closing.signal, ended.signal]));
    } finally {
      ended.abort(over());
    }
  };

  /** Stops all partitions at once: other members may run them by now. */
  const revoke = async (): Promise<void> => {
    membership = undefined;
    isMember = false;
    const lost = work.owned();
    if (lost.length === 0) return;
    log.warn({ topic, partitions: lost }, 'the group continued without this member; it rejoins');
    await work.stop(lost, 0);
  };

  /** Waits while heartbeats keep the membership, and revokes all partitions when the session must have expired. */
  const withHeartbeats = <T>(wait: Promise<T>): Promise<T> =>
    during(async (signal) => {
      if (!membership) return wait;
      withoutRejection(sendHeartbeats(membership, signal));
      const first = await Promise.race([wait.catch(ignore), sessionTimeout(signal).catch(ignore)]);
      if (first === 'fenced') await revoke();
      return wait;
    });

  /** One generation: from the join to the reason to rejoin. */
  const generation = async (): Promise<Ending> => {
    const entry = await withHeartbeats(join());
    const { at, counts } = entry;
    failures = 0;
    failure = null;
    return during(async (signal) => {
      const starting = new AbortController();
      const timedOut = withoutRejection(sessionTimeout(signal));
      const applying = withoutRejection(apply(entry, AbortSignal.any([signal, starting.signal])));
      const heartbeating = withoutRejection(heartbeatLoop(at, counts, signal));
      const first = await Promise.race([heartbeating, applying, timedOut]);
      if (first === 'fenced') return first;
      if (first === 'rebalance') {
        starting.abort(over());
        withoutRejection(sendHeartbeats(at, signal));
        return Promise.race([applying.then(() => first), timedOut]);
      }
      if (first) return 'rebalance';
      isMember = true;
      unsettledSince = null;
      joined.resolve();
      return Promise.race([heartbeating, timedOut]);
    }).finally(() => (unsettledSince ??= clock.monotonic()));
  };

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        if ((await generation()) === 'fenced') await revoke();
      } catch (error) {
        if (closing.signal.aborted) return;
        const { type, message } = problemOf(error);
        failure = message;
        if (failures === 0) log.warn({ topic, problem: failure }, 'joining the group failed');
        forget(error);
        if (memberClaimOf(error) === 'fenced') await revoke();
        await withHeartbeats(clock.sleep(delayFor(again, failures, random), closing.signal)).catch(ignore);
        failures += 1;
        // An error without a type is no answer of a broker.
        if (failures >= maxUnreachableTries && type === '') joined.resolve();
      }
    }
  };

  const running = run();

  const unsettledMs = (): number => (unsettledSince === null ? 0 : clock.monotonic() - unsettledSince);

  return {
    membership: () => membership,
    owned: () => membership !== undefined && clock.monotonic() < sessionEnd(),
    ready: () => isMember && unsettledMs() < waits.rebalanceMs + waits.sessionMs,
    unsettledMs,
    joined: joined.promise,
    failure: () => failure,
    async leave(deadlineMs) {
      leaving.abort(new DOMException('the member leaves', 'AbortError'));
      await work.stop(work.owned(), deadlineMs);
      closing.abort(new DOMException('the member leaves', 'AbortError'));
      // Leaving also ends a join that waits for other members.
      const limit = { clock, ms: leaveMs };
      if (memberId !== '') await endsWithin(limit, coordinator.leave(memberId).catch(ignore));
      await endsWithin(limit, running.catch(ignore));
      membership = undefined;
    },
  };
};
