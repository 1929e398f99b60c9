import { topics } from '@ranger-relay/contracts';
import type { ExecutionContext } from 'ava';
import type { BusTopic } from '../../embedded/topics.ts';
import type { Batch, Bus, BusRecord, ConsumeOptions, Outcome, Subscription } from '../../port.ts';

/** One bus on storage of its own, as a case of the contract needs it. */
export interface BusHarness {
  readonly bus: Bus;
  /** Ends the bus without waiting for handlers and opens the same storage again. */
  reopen(): Promise<Bus>;
  /** Another client of the same storage, in another process or as if it were. */
  beside(): Promise<Bus>;
  /** Makes the storage hang for at least a second, from now on. */
  stall(): Promise<void>;
  /**
   * Publishes from a process that is killed with -9 in the middle; returns the values it saw acknowledged. Left out where the storage ends with
   * its process.
   */
  killedPublisher?(topic: string): Promise<readonly string[]>;
}

/** An adapter under the contract. */
export interface BusLane {
  readonly name: string;
  /** How long members come and go, ms; default 3 s. */
  readonly churnMs?: number;
  /** Whether a client beside can consume too. */
  readonly consumesBeside?: true;
  /** Opens a bus with the topics of the contract on fresh storage; everything ends with the test. */
  open(t: ExecutionContext): Promise<BusHarness>;
}

/** One named case. */
export interface ContractCase {
  readonly name: string;
  run(t: ExecutionContext, harness: BusHarness, lane: Pick<BusLane, 'churnMs' | 'consumesBeside'>): Promise<void>;
}

const day = 86_400_000;

/** A topic of several partitions. */
export const events: BusTopic = { name: 'events', partitions: 4, retentionMs: day, maxRecordBytes: 10_000 };

/** A topic of one partition: its order is total. */
export const single: BusTopic = { name: 'single', partitions: 1, retentionMs: day, maxRecordBytes: 1_048_576 };

/** A topic with as many partitions as the first. */
export const second: BusTopic = { ...events, name: 'second' };

/** Every topic that the cases use. */
export const contractTopics: readonly BusTopic[] = [events, second, single, topics.deadLetters];

/** Time limit of a wait, ms: the test then fails and reports the last state. */
const patienceMs = 15_000;

const done: Outcome = { kind: 'done' };

export const textOf = ({ value }: Pick<BusRecord, 'value'>): string => Buffer.from(value).toString();

/** Texts as records of one key. */
export const letters = (key: string, ...values: readonly string[]) => values.map((value) => ({ key, value }));

/** Collects what a handler sees, and lets a test wait for it. */
export class Inbox {
  readonly texts: string[] = [];
  readonly records: BusRecord[] = [];
  readonly batches: Batch[] = [];
  private waiting: (() => void)[] = [];

  /** Resolves once `enough` says so; it is asked after every batch. */
  async until(enough: () => boolean, what: string): Promise<void> {
    const deadline = Date.now() + patienceMs;
    while (!enough()) {
      const left = deadline - Date.now();
      if (left <= 0) throw new Error(`waited in vain for ${what}; had ${this.texts.slice(0, 50).join(' ')}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  count(n: number): Promise<void> {
    return this.until(() => this.texts.length >= n, `${n} records`);
  }

  seen(text: string): Promise<void> {
    return this.until(() => this.texts.includes(text), text);
  }

  /** How often each text came. */
  tally(): Map<string, number> {
    const times = new Map<string, number>();
    for (const text of this.texts) times.set(text, (times.get(text) ?? 0) + 1);
    return times;
  }

  take(batch: Batch): void {
    this.batches.push(batch);
    for (const record of batch.records) {
      this.records.push(record);
      this.texts.push(textOf(record));
    }
    this.ring();
  }

  /** Wakes all waits to check again. */
  ring(): void {
    const { waiting } = this;
    this.waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** Decides the outcome of one record; `done` unless it says otherwise. */
export type Decide = (text: string, batch: Batch) => Outcome | undefined | Promise<Outcome | undefined>;

/** Options of a consumer that collects what it sees, and does what `decide` says. */
export const consumed = (
  options: Omit<ConsumeOptions, 'handle' | 'group'> & { group?: string },
  inbox: Inbox,
  decide: Decide = () => done,
): ConsumeOptions => ({
  group: 'group',
  ...options,
  handle: async (batch) => {
    inbox.take(batch);
    const outcomes: Outcome[] = [];
    for (const record of batch.records) outcomes.push((await decide(textOf(record), batch)) ?? done);
    return outcomes;
  },
});

/** Consumes into an inbox. */
export const consume = async (
  bus: Bus,
  options: Omit<ConsumeOptions, 'handle' | 'group'> & { group?: string },
  decide: Decide = () => done,
): Promise<{ inbox: Inbox; subscription: Subscription }> => {
  const inbox = new Inbox();
  const subscription = await bus.consume(consumed(options, inbox, decide));
  return { inbox, subscription };
};

/** The texts of everything that lies on a topic. */
export const stored = async (bus: Bus, topic: string): Promise<string[]> => {
  const texts: string[] = [];
  for await (const record of bus.read({ topic })) texts.push(textOf(record));
  return texts;
};

/** The first `n` records of a reading. */
export const first = async (records: AsyncIterable<BusRecord>, n: number): Promise<BusRecord[]> => {
  const taken: BusRecord[] = [];
  for await (const record of records) if (taken.push(record) >= n) break;
  return taken;
};
