import type { Random } from '@ranger-relay/runtime';
import { seededRandom } from '@ranger-relay/runtime/testing';
import {
  apartName,
  createLanes,
  decodeDone,
  type Delivery,
  type Done,
  type FetchRequest,
  type Lanes,
  type LanesOptions,
} from '../../lanes.ts';

/** What a made-up record does before it is done or dead. */
export interface Fate {
  readonly lane: string;
  readonly key: string;
  readonly retries: number;
  /** Whether it waits apart from the other keys of its lane. */
  readonly apart: boolean;
  readonly throws: number;
  readonly dead: boolean;
}

/** A record of the made-up partition. */
export interface MadeRecord {
  readonly offset: bigint;
  readonly key: string;
  readonly timestamp: number;
  readonly value: Uint8Array;
  readonly fate: Fate;
}

/** How a run is driven. */
export interface HarnessOptions {
  readonly fates: readonly Fate[];
  readonly seed: number;
  readonly lanes?: Partial<LanesOptions<MadeRecord>>;
  /** Chance of a crash at each step. */
  readonly crashes?: number;
}

/** A handler is tried so often in every run. */
export const maxThrows = 3;

const defaults = {
  laneOf: (record: MadeRecord): string => record.fate.lane,
  maxBatch: 4,
  maxBatchBytes: 60,
  maxRunning: 2,
  maxAhead: 20,
  maxThrows,
  throwDelay: (n: number): number => 5 * (n + 1),
};

const made = (fates: readonly Fate[]): MadeRecord[] =>
  fates.map((fate, i) => ({
    offset: BigInt(10 + i * 3),
    key: `${fate.lane}${fate.key}`,
    timestamp: 1_000 + i,
    value: new Uint8Array((i * 7) % 30),
    fate,
  }));

/** One partition, its handlers and its time, with every step chosen by chance and every rule checked at every step. */
export class Harness {
  readonly records: readonly MadeRecord[];
  readonly finished = new Map<bigint, number>();
  readonly problems: string[] = [];
  crashed = 0;
  now = 0;
  private readonly random: Random;
  private readonly options: HarnessOptions;
  private published: number;
  private lanes: Lanes<MadeRecord>;
  private open: Delivery<MadeRecord>[] = [];
  private request: FetchRequest | null = null;
  private readonly spent = new Map<bigint, { retries: number; throws: number }>();
  private done = new Set<bigint>();
  private readonly apart = new Set<string>();
  private committed = 0n;

  constructor(options: HarnessOptions) {
    this.options = options;
    this.records = made(options.fates);
    this.random = seededRandom(options.seed);
    this.published = this.pick(this.records.length + 1);
    this.lanes = this.start(0n, null);
  }

  /** Steps until every record is finished, or until far more steps than that can need have passed. */
  run(): void {
    for (let steps = 0; steps < 400 + this.records.length * 200; steps += 1) {
      if (this.over() || this.problems.length >= 5) return;
      this.step();
    }
    this.object('some records were never finished');
  }

  private object(problem: string): void {
    this.problems.push(problem);
  }

  private over(): boolean {
    const left = this.records.some(({ offset }) => offset >= this.since && !this.done.has(offset));
    return this.published === this.records.length && !left && this.open.length === 0;
  }

  private since = 0n;

  /** @param done what an earlier run has said that is done; where it says so, this must be all that is done */
  private start(from: bigint, done: Done | null): Lanes<MadeRecord> {
    this.since = from;
    if (!done) this.done = new Set();
    this.apart.clear();
    this.open = [];
    this.request = null;
    return createLanes({ ...defaults, ...this.options.lanes, start: from, done });
  }

  private pick(n: number): number {
    return Math.floor(this.random.next() * n);
  }

  private step(): void {
    this.deliver();
    this.request ??= this.lanes.fetch(this.now);
    if (this.random.next() < (this.options.crashes ?? 0)) this.crash();
    else [this.publish, this.fetch, this.settle, this.settle, this.pass][this.pick(5)]?.call(this);
    this.checkCommit();
  }

  private crash(): void {
    this.crashed += 1;
    this.committed = this.lanes.commit();
    this.lanes = this.start(this.committed, decodeDone(this.lanes.done()));
  }

  private publish(): void {
    this.published = Math.min(this.records.length, this.published + 1 + this.pick(5));
    this.lanes.notify();
  }

  private fetch(): void {
    if (!this.request) return;
    const { from, before, maxRecords } = this.request;
    this.request = null;
    if (this.random.next() < 0.1) return this.lanes.dropFetch();
    const all = this.records
      .slice(0, this.published)
      .filter(({ offset }) => offset >= from && (before === null || offset < before));
    if (maxRecords < 1) this.object(`a fetch of ${maxRecords} records`);
    // An adapter may get more than it asked for, in one block of its log.
    const page = all.slice(0, 1 + this.pick(maxRecords * (this.pick(4) === 0 ? 4 : 1)));
    this.lanes.accept(page, page.length === all.length, this.now);
  }

  private pass(): void {
    const wake = this.lanes.wakeAt(this.now);
    this.now = wake === null ? this.now + 1 : Math.max(wake, this.now);
    if (this.pick(20) === 0) this.lanes.wake();
  }

  private deliver(): void {
    for (const delivery of this.lanes.take(this.now)) {
      this.checkDelivery(delivery);
      this.open.push(delivery);
    }
  }

  private laneOf(record: MadeRecord): string {
    if (this.apart.has(record.key)) return apartName(record.key);
    const laneOf = this.options.lanes?.laneOf === undefined ? defaults.laneOf : this.options.lanes.laneOf;
    if (laneOf === 'key') return record.key;
    return laneOf ? laneOf(record) : '';
  }

  private checkDelivery({ lane, records }: Delivery<MadeRecord>): void {
    if (this.open.some((other) => other.lane === lane)) this.object(`two deliveries of ${lane} at once`);
    if (this.open.length >= defaults.maxRunning) this.object('too many deliveries at once');
    const due = this.records.filter(
      (record) => this.laneOf(record) === lane && record.offset >= this.since && !this.done.has(record.offset),
    );
    for (const [i, record] of records.entries())
      if (due[i] !== record) this.object(`${lane}: ${record.offset} came where ${due[i]?.offset} was due`);
    if (records.length === 0 || records.length > defaults.maxBatch) this.object(`a batch of ${records.length}`);
  }

  private settle(): void {
    const [delivery] = this.open.splice(this.pick(this.open.length), 1);
    if (!delivery) return;
    const { lane, records } = delivery;
    const apart: number[] = [];
    for (const [index, record] of records.entries()) {
      const { retries, throws } = record.fate;
      if (this.apart.has(record.key) && lane !== apartName(record.key)) continue;
      const spent = this.spent.get(record.offset) ?? { retries: 0, throws: 0 };
      this.spent.set(record.offset, spent);
      if (spent.retries < retries) {
        spent.retries += 1;
        if (!record.fate.apart || lane === apartName(record.key)) return this.end(delivery, index, 10, apart);
        this.apart.add(record.key);
        apart.push(index);
        continue;
      }
      if (spent.throws < throws) {
        if (apart.length > 0) return this.end(delivery, index, 10, apart);
        if (records.length === 1) spent.throws += 1;
        if (!this.lanes.threw(lane, this.now)) return;
        if (records.length > 1) this.object('a batch of several was found guilty');
        return this.end(delivery, 1, 0);
      }
    }
    this.end(delivery, records.length, apart.length > 0 ? 10 : 0, apart);
  }

  private end(
    { lane, records }: Delivery<MadeRecord>,
    finished: number,
    retryAfterMs: number,
    apart: readonly number[] = [],
  ): void {
    const waiting = new Set(apart.map((index) => records[index]?.key));
    for (const [index, { offset, key }] of records.slice(0, finished).entries()) {
      if (waiting.has(key) && index >= records.findIndex((record, at) => record.key === key && apart.includes(at)))
        continue;
      if (this.done.has(offset)) this.object(`${offset} was finished twice`);
      this.done.add(offset);
      this.finished.set(offset, (this.finished.get(offset) ?? 0) + 1);
    }
    this.lanes.settle(lane, { finished, retryAfterMs, apart }, this.now);
  }

  private checkCommit(): void {
    const offset = this.lanes.commit();
    if (offset < this.committed) this.object(`the commit went back from ${this.committed} to ${offset}`);
    this.committed = offset;
    for (const record of this.records)
      if (record.offset >= this.since && record.offset < offset && !this.done.has(record.offset))
        this.object(`the commit ${offset} passed ${record.offset}`);
  }
}
