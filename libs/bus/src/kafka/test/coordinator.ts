import type { Clock } from '@ranger-relay/runtime';
import type { Assignment, GroupMember } from '../group/assign.ts';
import type { Commit } from '../../consume/commit.ts';
import type { Coordinator, GroupWaits, Joined, Membership } from '../group/coordinator.ts';

interface Seat {
  self: GroupMember;
  sessionMs: number;
  seenAt: number;
  joining: PromiseWithResolvers<Joined> | null;
  syncing: PromiseWithResolvers<Assignment> | null;
}

const protocolError = (type: string): Error => Object.assign(new Error(type), { type, retriable: false });

const requestMs = 2_000;
const sweepMs = 100;

/** How calls travel; the coordinator itself never fails. */
export interface Line {
  readonly delayMs: () => number;
  /** The request does not arrive. */
  readonly losesCall: () => boolean;
  /** What is answered does not arrive. */
  readonly losesAnswer: () => boolean;
}

/** A line on which nothing happens. */
export const goodLine: Line = { delayMs: () => 5, losesCall: () => false, losesAnswer: () => false };

/** The coordinator of one group in memory, with the states, barriers and refusals of Kafka's. */
export class FakeCoordinator {
  state: 'empty' | 'preparing' | 'completing' | 'stable' = 'empty';
  generation = 0;
  readonly offsets = new Map<number, bigint>();
  private readonly announced = new Map<number, bigint>();
  readonly problems: string[] = [];
  private readonly seats = new Map<string, Seat>();
  private shares: ReadonlyMap<string, Assignment> = new Map();
  private leader = '';
  private ids = 0;
  private prepareUntil = 0;
  private readonly clock: Clock;

  constructor(clock: Clock) {
    this.clock = clock;
    const sweep = (): void => {
      this.sweep();
      clock.after(sweepMs, sweep);
    };
    clock.after(sweepMs, sweep);
  }

  members(): number {
    return this.seats.size;
  }

  /** Calls of one client over a line of its own. */
  client(line: Line): Coordinator {
    const call = async <T>(work: () => Promise<T> | T, patienceMs = requestMs): Promise<T> => {
      await this.clock.sleep(line.delayMs());
      const lost = Promise.withResolvers<never>();
      const timer = this.clock.after(patienceMs, () => lost.reject(new Error('Request timed out')));
      const trip = async (): Promise<T> => {
        if (line.losesCall()) return lost.promise;
        const answer = await work();
        await this.clock.sleep(line.delayMs());
        return line.losesAnswer() ? lost.promise : answer;
      };
      return Promise.race([trip(), lost.promise]).finally(() => timer.cancel());
    };
    return {
      join: (self, waits) => call(() => this.join(self, waits), waits.rebalanceMs + 5_000),
      sync: (place, shares) => call(() => this.sync(place, shares)),
      heartbeat: (place) => call(() => this.heartbeat(place)),
      leave: (memberId) => call(() => this.leave(memberId)),
      commit: (place, _, offsets) => call(() => this.commit(place, offsets)),
      committed: (_, partitions) =>
        call(
          () =>
            new Map(
              partitions.flatMap((p) => {
                const offset = this.offsets.get(p);
                return offset === undefined
                  ? []
                  : [[p, { offset, announced: this.announced.get(p) ?? null, topicId: undefined, done: '' }] as const];
              }),
            ),
        ),
    };
  }

  private seat(id: string): Seat {
    const seat = this.seats.get(id);
    if (!seat) throw protocolError('UNKNOWN_MEMBER_ID');
    return seat;
  }

  private placed({ memberId, generation }: Membership): Seat {
    const seat = this.seat(memberId);
    if (generation !== this.generation) throw protocolError('ILLEGAL_GENERATION');
    return seat;
  }

  private join(self: GroupMember, { sessionMs, rebalanceMs }: GroupWaits): Promise<Joined> {
    const id = self.id === '' ? `m${(this.ids += 1)}` : self.id;
    const seat = self.id === '' ? { self, sessionMs, seenAt: 0, joining: null, syncing: null } : this.seat(self.id);
    seat.self = { ...self, id };
    seat.seenAt = this.clock.monotonic();
    seat.joining?.reject(protocolError('UNKNOWN_MEMBER_ID'));
    seat.joining = Promise.withResolvers();
    seat.joining.promise.catch(() => undefined);
    this.seats.set(id, seat);
    this.prepare(rebalanceMs);
    const { promise } = seat.joining;
    this.complete();
    return promise;
  }

  private prepare(rebalanceMs = 30_000): void {
    if (this.state === 'preparing') return;
    this.state = 'preparing';
    this.prepareUntil = this.clock.monotonic() + rebalanceMs;
    for (const seat of this.seats.values()) {
      seat.syncing?.reject(protocolError('REBALANCE_IN_PROGRESS'));
      seat.syncing = null;
    }
  }

  private complete(): void {
    if (this.state !== 'preparing') return;
    if (this.clock.monotonic() >= this.prepareUntil)
      for (const [id, { joining }] of this.seats) if (!joining) this.seats.delete(id);
    if ([...this.seats.values()].some(({ joining }) => !joining)) return;
    this.generation += 1;
    this.state = this.seats.size === 0 ? 'empty' : 'completing';
    if (!this.seats.has(this.leader)) this.leader = [...this.seats.keys()][0] ?? '';
    const members = [...this.seats.values()].map(({ self }) => self);
    for (const [memberId, seat] of this.seats) {
      seat.seenAt = this.clock.monotonic();
      seat.joining?.resolve({
        memberId,
        generation: this.generation,
        members: memberId === this.leader ? members : [],
      });
      seat.joining = null;
    }
  }

  private sync(place: Membership, shares: ReadonlyMap<string, Assignment>): Promise<Assignment> | Assignment {
    const seat = this.placed(place);
    if (this.state === 'preparing') throw protocolError('REBALANCE_IN_PROGRESS');
    seat.seenAt = this.clock.monotonic();
    if (this.state === 'completing' && place.memberId === this.leader) {
      this.shares = shares;
      this.state = 'stable';
      for (const [id, other] of this.seats) {
        other.syncing?.resolve(shares.get(id) ?? new Map());
        other.syncing = null;
      }
    }
    if (this.state === 'stable') return this.shares.get(place.memberId) ?? new Map();
    seat.syncing = Promise.withResolvers();
    seat.syncing.promise.catch(() => undefined);
    return seat.syncing.promise;
  }

  private heartbeat(place: Membership): void {
    const seat = this.placed(place);
    seat.seenAt = this.clock.monotonic();
    if (this.state === 'preparing') throw protocolError('REBALANCE_IN_PROGRESS');
  }

  private leave(memberId: string): void {
    this.seat(memberId);
    this.remove(memberId);
  }

  private remove(memberId: string): void {
    const seat = this.seats.get(memberId);
    this.seats.delete(memberId);
    seat?.joining?.reject(protocolError('UNKNOWN_MEMBER_ID'));
    seat?.syncing?.reject(protocolError('UNKNOWN_MEMBER_ID'));
    this.prepare();
    this.complete();
  }

  private commit(place: Membership, commits: ReadonlyMap<number, Commit>): void {
    const seat = this.placed(place);
    if (this.state === 'completing') throw protocolError('REBALANCE_IN_PROGRESS');
    seat.seenAt = this.clock.monotonic();
    for (const [partition, { offset, announced }] of commits) {
      this.announced.set(partition, announced);
      const before = this.offsets.get(partition) ?? 0n;
      if (offset < before) this.problems.push(`the offset of ${partition} went back from ${before} to ${offset}`);
      this.offsets.set(partition, offset);
    }
  }

  private sweep(): void {
    const now = this.clock.monotonic();
    for (const [id, { joining, seenAt, sessionMs }] of this.seats)
      if (!joining && now - seenAt >= sessionMs) this.remove(id);
    this.complete();
  }
}
