import { once } from 'node:events';
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import type { KafkaSettings } from '../client/settings.ts';
import { Reader } from './wire.ts';

/** A topic as the server tells of it; a partition's leader -1 is none. */
export interface ServedTopic {
  /** Error of the topic as a whole. */
  code?: number;
  leaders: number[];
  /** Copies of each partition; one when left out. */
  copies?: number;
  /** What the client may do, by the numbers of Kafka's ACLs as bits; everything when left out. */
  operations?: number;
}

const keys = {
  listOffsets: 2,
  metadata: 3,
  offsetFetch: 9,
  findCoordinator: 10,
  joinGroup: 11,
  apiVersions: 18,
  createTopics: 19,
  describeConfigs: 32,
  createPartitions: 37,
  incrementalAlterConfigs: 44,
};

/** The one version of each request that the server speaks; of metadata, all from this one to `newestMetadata`. */
const versions: Readonly<Record<number, number>> = {
  [keys.listOffsets]: 1,
  [keys.metadata]: 1,
  [keys.offsetFetch]: 1,
  [keys.findCoordinator]: 0,
  [keys.joinGroup]: 2,
  [keys.apiVersions]: 2,
  [keys.createTopics]: 0,
  [keys.describeConfigs]: 0,
  [keys.createPartitions]: 0,
  [keys.incrementalAlterConfigs]: 0,
};

const i8 = (n: number): Buffer => Buffer.from([n & 0xff]);
const i16 = (n: number): Buffer => {
  const buffer = Buffer.alloc(2);
  buffer.writeInt16BE(n);
  return buffer;
};
const i32 = (n: number): Buffer => {
  const buffer = Buffer.alloc(4);
  buffer.writeInt32BE(n);
  return buffer;
};
const i64 = (n: bigint): Buffer => {
  const buffer = Buffer.alloc(8);
  buffer.writeBigInt64BE(n);
  return buffer;
};
const text = (value: string | null): Buffer =>
  value === null ? i16(-1) : Buffer.concat([i16(Buffer.byteLength(value)), Buffer.from(value)]);
const list = (items: readonly Buffer[]): Buffer => Buffer.concat([i32(items.length), ...items]);

const unknownTopic = 3;
const newestMetadata = 8;
/** Permitted operations of a topic, as bits: all of them. */
const everything = 0b1_1111_1111_1000;

/** A broker on a loopback port that speaks as much of the protocol as the library needs to find its way. */
export class KafkaServer {
  readonly topics = new Map<string, ServedTopic>();
  /** Settings of topics, by name. */
  readonly configs = new Map<string, Readonly<Record<string, string>>>();
  /** Most copies of a record that can be kept. */
  brokers = 15;
  readonly created: { name: string; partitions: number; configs: Record<string, string> }[] = [];
  readonly altered: { topic: string; settings: Record<string, string> }[] = [];
  readonly enlarged: { topic: string; partitions: number }[] = [];
  /** Error code of every change of settings and partitions. */
  alterCode = 0;
  /** Error code of each topic whose settings are read. */
  describeCode = 0;
  /** Number of requests for settings. */
  described = 0;
  /** Wait before each answer, ms. */
  delayMs = 0;
  /** Each response ends with its connection, before its last byte. */
  cutsOff = false;
  /** Requests with these keys are not answered. */
  readonly mute = new Set<number>();
  /** Error code of the search for a group's coordinator. */
  groupCode = 0;
  /** What every group has committed in every partition, whose records have the offset 7; -1 for nothing. */
  committed = -1n;
  asked = 0;
  connections = 0;
  /** Address that it tells of itself; its own by default. */
  advertised: number | null = null;
  /** Ports of the other brokers of its cluster, whose numbers go on from 2. */
  others: readonly number[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly server: Server;

  private constructor() {
    this.server = createServer((socket) => this.serve(socket));
  }

  static async start(t: { teardown(end: () => void): void }, port = 0): Promise<KafkaServer> {
    const made = new KafkaServer();
    made.server.listen(port, '127.0.0.1');
    await once(made.server, 'listening');
    t.teardown(() => made.stop());
    return made;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get open(): number {
    return this.sockets.size;
  }

  settings(more: Partial<KafkaSettings> = {}): KafkaSettings {
    return { brokers: [`127.0.0.1:${this.port}`], clientId: 'test', prefix: '', sessionTimeoutMs: 6_000, ...more };
  }

  cut(): void {
    for (const socket of this.sockets) socket.destroy();
  }

  stop(): void {
    this.cut();
    this.server.close();
  }

  private serve(socket: Socket): void {
    this.connections += 1;
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('error', () => undefined);
    let left = Buffer.alloc(0);
    socket.on('data', (data) => {
      left = Buffer.concat([left, data]);
      while (left.length >= 4 && left.length >= 4 + left.readInt32BE(0)) {
        const size = left.readInt32BE(0);
        this.handle(socket, new Reader(left.subarray(4, 4 + size)));
        left = left.subarray(4 + size);
      }
    });
  }

  private handle(socket: Socket, r: Reader): void {
    const [key, version, correlation] = [r.int16(), r.int16(), r.int32()];
    r.text();
    this.asked += 1;
    if (this.mute.has(key)) return;
    const body = this.answer(key, version, r);
    const response = Buffer.concat([i32(4 + body.length), i32(correlation), body]);
    const write = (): void => void (this.cutsOff ? socket.end(response.subarray(0, -1)) : socket.write(response));
    if (this.delayMs > 0) setTimeout(write, this.delayMs);
    else write();
  }

  private answer(key: number, version: number, r: Reader): Buffer {
    if (key === keys.apiVersions) return this.apiVersions();
    if (key === keys.metadata) return this.metadata(version, r);
    if (key === keys.listOffsets) return this.listOffsets(r);
    if (key === keys.findCoordinator)
      return Buffer.concat([i16(this.groupCode), i32(1), text('127.0.0.1'), i32(this.advertised ?? this.port)]);
    if (key === keys.offsetFetch) return this.offsetFetch(r);
    if (key === keys.createTopics) return this.createTopics(r);
    if (key === keys.createPartitions) return this.createPartitions(r);
    if (key === keys.incrementalAlterConfigs) return this.alterConfigs(r);
    return this.describeConfigs(r);
  }

  private apiVersions(): Buffer {
    const known = Object.entries(versions).map(([key, v]) =>
      Buffer.concat([i16(Number(key)), i16(v), i16(Number(key) === keys.metadata ? newestMetadata : v)]),
    );
    return Buffer.concat([i16(0), list(known), i32(0)]);
  }

  private metadata(version: number, r: Reader): Buffer {
    const since = (first: number, field: Buffer): Buffer => (version >= first ? field : Buffer.alloc(0));
    const count = r.int32();
    const names = count < 0 ? [...this.topics.keys()] : Array.from({ length: count }, r.text);
    const brokers = [this.advertised ?? this.port, ...this.others].map((port, index) =>
      Buffer.concat([i32(index + 1), text('127.0.0.1'), i32(port), text(null)]),
    );
    const topics = names.map((name) => {
      const {
        code = 0,
        leaders,
        copies = 1,
        operations = everything,
      } = this.topics.get(name) ?? { code: unknownTopic, leaders: [] };
      const replicas = list(Array.from({ length: copies }, (_, index) => i32(index + 1)));
      const partitions = leaders.map((leader, id) =>
        Buffer.concat([
          i16(leader < 0 ? 5 : 0),
          i32(id),
          i32(leader),
          since(7, i32(0)),
          replicas,
          replicas,
          since(5, list([])),
        ]),
      );
      return Buffer.concat([
        i16(code),
        text(name),
        i8(0),
        list(code === 0 ? partitions : []),
        since(8, i32(operations)),
      ]);
    });
    return Buffer.concat([
      since(3, i32(0)),
      list(brokers),
      since(2, text('cluster')),
      i32(1),
      list(topics),
      since(8, i32(everything)),
    ]);
  }

  private listOffsets(r: Reader): Buffer {
    r.int32();
    const wanted = r.list(() => ({ topic: r.text(), its: r.list(() => ({ partition: r.int32(), time: r.int64() })) }));
    const topics = wanted.map(({ topic, its }) =>
      Buffer.concat([
        text(topic),
        list(its.map(({ partition, time }) => Buffer.concat([i32(partition), i16(0), i64(-1n), i64(time + 9n)]))),
      ]),
    );
    return list(topics);
  }

  private offsetFetch(r: Reader): Buffer {
    r.text();
    const wanted = r.list(() => ({ topic: r.text(), its: r.list(() => r.int32()) }));
    return list(
      wanted.map(({ topic, its }) =>
        Buffer.concat([
          text(topic),
          list(its.map((partition) => Buffer.concat([i32(partition), i64(this.committed), text(''), i16(0)]))),
        ]),
      ),
    );
  }

  private createTopics(r: Reader): Buffer {
    const wanted = r.list(() => {
      const [name, partitions, replication] = [r.text(), r.int32(), r.int16()];
      r.list(() => r.int32());
      return {
        name,
        partitions,
        replication,
        configs: Object.fromEntries(r.list(() => [r.text(), r.text()] as const)),
      };
    });
    const answers = wanted.map(({ replication, ...topic }) => {
      const code = this.topics.has(topic.name) ? 36 : replication > this.brokers ? 38 : 0;
      if (code === 0) this.created.push(topic);
      return Buffer.concat([text(topic.name), i16(code)]);
    });
    return list(answers);
  }

  private createPartitions(r: Reader): Buffer {
    const wanted = r.list(() => {
      const change = { topic: r.text(), partitions: r.int32() };
      if (r.int32() !== -1) throw new Error('the brokers are to choose who leads');
      return change;
    });
    if (this.alterCode === 0) this.enlarged.push(...wanted);
    return Buffer.concat([
      i32(0),
      list(wanted.map(({ topic }) => Buffer.concat([text(topic), i16(this.alterCode), text(null)]))),
    ]);
  }

  private alterConfigs(r: Reader): Buffer {
    const wanted = r.list(() => {
      const [kind, topic] = [r.int8(), r.text()];
      const settings = r.list(() => [r.text(), r.int8(), r.text()] as const);
      if (kind !== 2 || settings.some(([, operation]) => operation !== 0)) throw new Error('only topics, only set');
      return { topic, settings: Object.fromEntries(settings.map(([name, , value]) => [name, value])) };
    });
    if (r.int8() !== 0) throw new Error('it is to be done, not only checked');
    if (this.alterCode === 0) this.altered.push(...wanted);
    const answers = wanted.map(({ topic }) => Buffer.concat([i16(this.alterCode), text(null), i8(2), text(topic)]));
    return Buffer.concat([i32(0), list(answers)]);
  }

  private describeConfigs(r: Reader): Buffer {
    this.described += 1;
    const wanted = r.list(() => {
      r.int8();
      const name = r.text();
      r.list(() => r.text());
      return name;
    });
    const resources = wanted.map((name) => {
      const entries = Object.entries(this.configs.get(name) ?? {}).map(([config, value]) =>
        Buffer.concat([text(config), text(value), i8(0), i8(0), i8(0)]),
      );
      return Buffer.concat([i16(this.describeCode), text(null), i8(2), text(name), list(entries)]);
    });
    return Buffer.concat([i32(0), list(resources)]);
  }
}
