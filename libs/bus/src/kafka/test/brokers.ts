import type { Clock, Random } from '@ranger-relay/runtime';
import { RelayError } from '@ranger-relay/errors';
import type { ClusterMetadata } from '../client/cluster-metadata.ts';
import { fetchAnswer, produceAnswer, rawBroker, readBatch, readFetch, readProduce, type FetchedPart } from './wire.ts';

interface StoredBatch {
  readonly base: bigint;
  readonly count: number;
  readonly bytes: Buffer;
}

interface Partition {
  leader: number;
  batches: StoredBatch[];
  end: bigint;
  /** What the leader shows as the end; behind the real one just after it took over. */
  shown: bigint | null;
}

/** A request as it comes over the wire. */
interface Asked {
  readonly key: number;
  readonly body: Buffer;
  readonly version: number;
}

/** What becomes of one request. */
export type Fate = 'well' | 'lost before' | 'lost after' | 'hangs before' | 'hangs after';

const codes = { notLeader: 6, timedOut: 7, tooLarge: 10, tooFewAfter: 20, unknown: 3, unknownId: 100 };
const produceKey = 0;
const requestMs = 2_000;
const fetchWaitMs = 250;

const lost = (): Error => Object.assign(new Error('Closed connection'), { retriable: true });

/** The last request of each connection of a client, by node. */
type Lines = Map<number, Promise<unknown>>;

/** Brokers in memory that answer the adapter's own requests as real ones do, byte for byte. */
export class Brokers {
  readonly partitions = new Map<string, Partition>();
  readonly texts = new Map<string, string[]>();
  /** Largest batch that is taken, bytes. */
  maxBatchBytes = 1_048_588;
  /** Codes to answer for a partition instead of working. */
  readonly codes = new Map<string, number>();
  /** What the brokers say about records that they refuse. */
  detail = '';
  fateOf: () => Fate = () => 'well';
  /** Chance that a produced part is refused although all is well, and that it is stored all the same. */
  refusals = 0;
  produced = 0;
  private recreated = 0;
  fetched = 0;
  refreshes = 0;
  latency: () => number = () => 5;
  readonly away = new Set<number>();
  private readonly clock: Clock;
  private readonly random: Random;
  private seen = new Map<string, number>();
  private seenIds = new Map<string, string>();
  private readonly ids = new Map<string, string>();
  /** Newest version of a fetch; from 13 on, topics have ids. */
  newestFetch = 13;

  constructor(clock: Clock, random: Random, topics: Readonly<Record<string, number>>, nodes = 1) {
    this.clock = clock;
    this.random = random;
    for (const [topic, count] of Object.entries(topics)) this.add(topic, count, nodes);
    this.look();
  }

  /** Creates a topic; clients see it when they ask. */
  add(topic: string, count: number, nodes = 1): void {
    this.ids.set(topic, (0xabc_0000 + this.ids.size + this.recreated).toString(16).padStart(32, '0'));
    for (let p = 0; p < count; p += 1)
      this.partitions.set(`${topic} ${p}`, { leader: p % nodes, batches: [], end: 0n, shown: null });
  }

  /** Deletes a topic and creates it again with as many partitions; clients see it when they ask. */
  recreate(topic: string): void {
    const parts = [...this.partitions.keys()].filter((key) => key.startsWith(`${topic} `));
    this.recreated += 1_000;
    this.add(topic, parts.length);
  }

  /** The layout of a client of these brokers; it sees moves of leaders only when it asks. */
  metadata(): ClusterMetadata {
    const learnt = new Set<string>();
    const lines: Lines = new Map();
    const count = (topic: string): number | undefined =>
      [...this.seen.keys()].filter((key) => key.startsWith(`${topic} `)).length || undefined;
    return {
      topicId: (topic) => this.seenIds.get(topic),
      askTopicId: async (topic) => {
        await this.clock.sleep(this.latency());
        return this.ids.get(topic);
      },
      known: (topic) => (learnt.has(topic) ? count(topic) : undefined),
      partitions: async (topic) => {
        await this.clock.sleep(this.latency());
        if (this.away.has(0)) throw new RelayError('bus_unavailable', { details: { reason: 'nobody is there' } });
        const found = count(topic);
        if (found === undefined) throw new RelayError('bus_topic_unknown', { details: { topic } });
        learnt.add(topic);
        return found;
      },
      leader: (topic, partition) => {
        const node = this.seen.get(`${topic} ${partition}`);
        return node === undefined || node < 0 ? undefined : node;
      },
      broker: async (node) => {
        await this.clock.sleep(this.latency());
        if (this.away.has(node)) throw lost();
        const work = (key: number, body: Buffer, version: number) =>
          this.inTurn(lines, node, () => this.answer(node, { key, body, version }));
        return rawBroker(work, { produce: 8, fetch: this.newestFetch });
      },
      refresh: async () => {
        this.refreshes += 1;
        await this.clock.sleep(this.latency());
        this.look();
      },
      refreshWhenOld: async () => undefined,
    };
  }

  look(): void {
    this.seenIds = new Map(this.ids);
    this.seen = new Map([...this.partitions].map(([key, { leader }]) => [key, leader]));
  }

  of(topic: string, partition: number): Partition {
    const found = this.partitions.get(`${topic} ${partition}`);
    if (!found) throw new Error(`no partition ${topic} ${partition}`);
    return found;
  }

  /** Stores an encoded batch of so many records. */
  store(topic: string, partition: number, bytes: Buffer, count: number): void {
    const its = this.of(topic, partition);
    const copy = Buffer.from(bytes);
    copy.writeBigInt64BE(its.end, 0);
    its.batches.push({ base: its.end, count, bytes: copy });
    its.end += BigInt(count);
  }

  /** A connection carries one request after the other; each client has its own. */
  private inTurn<T>(lines: Lines, node: number, work: () => Promise<T>): Promise<T> {
    const mine = (lines.get(node) ?? Promise.resolve()).then(work, work);
    lines.set(
      node,
      mine.catch(() => undefined),
    );
    return mine;
  }

  private async answer(node: number, { key, body, version }: Asked): Promise<Buffer> {
    await this.clock.sleep(this.latency());
    if (this.away.has(node)) throw lost();
    return key === produceKey ? this.produce(node, body) : this.fetch(node, body, version);
  }

  private async produce(node: number, body: Buffer): Promise<Buffer> {
    this.produced += 1;
    const fate = this.fateOf();
    const { parts } = readProduce(body);
    if (fate === 'lost before') throw lost();
    if (fate === 'hangs before') return this.hang();
    const answers = [];
    for (const part of parts) answers.push({ ...part, code: await this.append(node, part), detail: this.detail });
    if (fate === 'lost after') throw lost();
    if (fate === 'hangs after') return this.hang();
    return produceAnswer(answers);
  }

  private async hang(): Promise<never> {
    await this.clock.sleep(requestMs);
    throw Object.assign(new Error('Request timed out'), { retriable: true });
  }

  private async append(
    node: number,
    { topic, partition, batch }: { topic: string; partition: number; batch: Buffer },
  ): Promise<number> {
    const key = `${topic} ${partition}`;
    const fixed = this.codes.get(key);
    if (fixed !== undefined) return fixed;
    const its = this.partitions.get(key);
    if (!its) return codes.unknown;
    if (its.leader !== node) return codes.notLeader;
    if (batch.length > this.maxBatchBytes) return codes.tooLarge;
    const chance = this.random.next();
    if (chance < this.refusals) return codes.timedOut;
    const records = await readBatch(batch);
    this.store(topic, partition, batch, records.length);
    this.texts.set(key, [...(this.texts.get(key) ?? []), ...records.map(({ value }) => value?.toString() ?? '')]);
    return chance < 2 * this.refusals ? codes.tooFewAfter : 0;
  }

  private async fetch(node: number, body: Buffer, version: number): Promise<Buffer> {
    this.fetched += 1;
    if (this.fateOf() !== 'well') throw lost();
    const wishes = readFetch(body, version);
    const read = (): FetchedPart[] => this.read(node, wishes);
    const first = read();
    if (first.some(({ records, code }) => code !== 0 || (records?.length ?? 0) > 0)) return fetchAnswer(first, version);
    await this.clock.sleep(fetchWaitMs);
    return fetchAnswer(read(), version);
  }

  /** The first partition that has something gives at least one batch; the others only what fits, else nothing. */
  private read(node: number, wishes: ReturnType<typeof readFetch>): FetchedPart[] {
    let first = true;
    const names = new Map([...this.ids].map(([name, id]) => [id, name]));
    return wishes.map(({ topic, partition, from, maxBytes }) => {
      const isById = topic.length === 32;
      const name = isById ? names.get(topic) : topic;
      if (name === undefined) return { topic, partition, code: codes.unknownId };
      const key = `${name} ${partition}`;
      const its = this.partitions.get(key);
      const code = this.codes.get(key) ?? (its ? (its.leader === node ? 0 : codes.notLeader) : codes.unknown);
      if (code !== 0 || !its) return { topic, partition, code };
      const start = its.batches[0]?.base ?? its.end;
      const end = its.shown ?? its.end;
      if (from < start || from > its.end) return { topic, partition, code: 1, end };
      const taken: Buffer[] = [];
      let bytes = 0;
      for (const batch of its.batches) {
        const after = batch.base + BigInt(batch.count);
        if (after <= from || after > end) continue;
        if (bytes + batch.bytes.length > maxBytes && !(first && taken.length === 0)) break;
        taken.push(batch.bytes);
        bytes += batch.bytes.length;
      }
      if (taken.length > 0) first = false;
      return { topic, partition, code: 0, end, records: Buffer.concat(taken) };
    });
  }
}
