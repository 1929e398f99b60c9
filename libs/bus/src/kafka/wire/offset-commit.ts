import type { Broker } from '../client/cluster.ts';
import { exchange } from './connection.ts';

/** Offsets of one topic that a member stores. */
export interface OffsetsToCommit {
  readonly groupId: string;
  readonly generation: number;
  readonly memberId: string;
  readonly topic: string;
  /** By partition. */
  readonly offsets: ReadonlyMap<number, bigint>;
}

/** The last version that says how long the offsets are kept; later ones leave it to the broker, which forgets those of an idle group. */
const version = 4;
const apiKey = 8;
/** Ten years: an offset must outlive every record that it stands behind. */
const keepMs = 10 * 365 * 86_400_000;

/** Whether a broker takes offsets with a time to keep them. */
export const keepsOffsets = (broker: object): boolean => {
  const { versions } = broker as { versions?: Readonly<Record<number, { minVersion: number; maxVersion: number }>> };
  const known = versions?.[apiKey];
  return known !== undefined && known.minVersion <= version && known.maxVersion >= version;
};

const text = (value: string): Buffer => {
  const buffer = Buffer.allocUnsafe(2 + Buffer.byteLength(value));
  buffer.writeInt16BE(buffer.length - 2, 0);
  buffer.write(value, 2);
  return buffer;
};

const bodyOf = ({ groupId, generation, memberId, topic, offsets }: OffsetsToCommit): Buffer => {
  const at = Buffer.alloc(4);
  at.writeInt32BE(generation, 0);
  const head = Buffer.alloc(12);
  head.writeBigInt64BE(BigInt(keepMs), 0);
  head.writeInt32BE(1, 8);
  const count = Buffer.alloc(4);
  count.writeInt32BE(offsets.size, 0);
  const parts = [...offsets].map(([partition, offset]) => {
    const part = Buffer.alloc(14);
    part.writeInt32BE(partition, 0);
    part.writeBigInt64BE(offset, 4);
    // No metadata.
    part.writeInt16BE(-1, 12);
    return part;
  });
  return Buffer.concat([text(groupId), at, text(memberId), head, text(topic), count, ...parts]);
};

/** Partitions whose code is not zero, with it. */
const decode = async (raw: Buffer): Promise<Map<number, number>> => {
  const refused = new Map<number, number>();
  let at = 4;
  for (let topics = raw.readInt32BE((at += 4) - 4); topics > 0; topics -= 1) {
    at += 2 + raw.readInt16BE(at);
    for (let left = raw.readInt32BE((at += 4) - 4); left > 0; left -= 1, at += 6) {
      const code = raw.readInt16BE(at + 4);
      if (code !== 0) refused.set(raw.readInt32BE(at), code);
    }
  }
  return refused;
};

/** Stores offsets of a group for ten years, whether or not the group is in use; answers the codes of the partitions that were refused. */
export const commitOffsets = (broker: Broker, commit: OffsetsToCommit): Promise<ReadonlyMap<number, number>> =>
  exchange(broker, { key: apiKey, version, name: 'OffsetCommit', body: bodyOf(commit), decode });
