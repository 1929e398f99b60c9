import type { Broker } from '../client/cluster.ts';
import { waits } from '../client/settings.ts';
import { exchange } from './connection.ts';

/** One encoded batch for one partition. */
export interface ProducePart {
  readonly topic: string;
  readonly partition: number;
  readonly batch: Buffer;
}

/** What became of one part; code 0 means that every replica in sync has it. */
export interface ProduceAnswer {
  readonly topic: string;
  readonly partition: number;
  readonly code: number;
}

const apiKey = 0;
const version = 7;
const allReplicas = -1;

const byTopic = (parts: readonly ProducePart[]): Map<string, ProducePart[]> => {
  const topics = new Map<string, ProducePart[]>();
  for (const part of parts) {
    const known = topics.get(part.topic);
    if (known) known.push(part);
    else topics.set(part.topic, [part]);
  }
  return topics;
};

const ints = (...values: readonly number[]): Buffer => {
  const buffer = Buffer.allocUnsafe(values.length * 4);
  values.forEach((value, index) => buffer.writeInt32BE(value, index * 4));
  return buffer;
};

const text = (value: string): Buffer => {
  const buffer = Buffer.allocUnsafe(2 + Buffer.byteLength(value));
  buffer.writeInt16BE(buffer.length - 2, 0);
  buffer.write(value, 2);
  return buffer;
};

const bodyOf = (parts: readonly ProducePart[]): Buffer => {
  const topics = byTopic(parts);
  const head = Buffer.allocUnsafe(12);
  head.writeInt16BE(-1, 0);
  head.writeInt16BE(allReplicas, 2);
  head.writeInt32BE(waits.acks, 4);
  head.writeInt32BE(topics.size, 8);
  const pieces: Buffer[] = [head];
  for (const [topic, its] of topics) {
    pieces.push(text(topic), ints(its.length));
    for (const { partition, batch } of its) pieces.push(ints(partition, batch.length), batch);
  }
  return Buffer.concat(pieces);
};

/** Partition, code, base offset, append time and log start: one entry of the answer. */
const entryBytes = 4 + 2 + 8 + 8 + 8;

const decode = async (raw: Buffer): Promise<ProduceAnswer[]> => {
  const answers: ProduceAnswer[] = [];
  let at = 4;
  for (let topics = raw.readInt32BE(0); topics > 0; topics -= 1) {
    const length = raw.readInt16BE(at);
    const topic = raw.toString('utf8', at + 2, at + 2 + length);
    at += 2 + length;
    let left = raw.readInt32BE(at);
    at += 4;
    for (; left > 0; left -= 1, at += entryBytes)
      answers.push({ topic, partition: raw.readInt32BE(at), code: raw.readInt16BE(at + 4) });
  }
  return answers;
};

/** Sends batches to the broker that leads their partitions, to be stored by all replicas in sync. Rejects when no answer came. */
export const produce = (broker: Broker, parts: readonly ProducePart[]): Promise<ProduceAnswer[]> =>
  exchange(broker, { key: apiKey, version, name: 'Produce', body: bodyOf(parts), decode });
