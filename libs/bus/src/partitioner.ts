const seed = 0x9747b28c;
const m = 0x5bd1e995;

const mix = (k: number): number => {
  const once = Math.imul(k, m);
  return Math.imul(once ^ (once >>> 24), m);
};

const tail = (data: Uint8Array, hash: number): number => {
  const rest = data.length & 3;
  if (rest === 0) return hash;
  const at = data.length - rest;
  let h = hash;
  if (rest === 3) h ^= (data[at + 2] ?? 0) << 16;
  if (rest >= 2) h ^= (data[at + 1] ?? 0) << 8;
  return Math.imul(h ^ (data[at] ?? 0), m);
};

/** The 32-bit murmur2 of the Java client's default partitioner, signed. */
export const murmur2 = (data: Uint8Array): number => {
  let h = seed ^ data.length;
  for (let i = 0; i + 4 <= data.length; i += 4) {
    const k = (data[i] ?? 0) | ((data[i + 1] ?? 0) << 8) | ((data[i + 2] ?? 0) << 16) | ((data[i + 3] ?? 0) << 24);
    h = Math.imul(h, m) ^ mix(k);
  }
  h = tail(data, h);
  h = Math.imul(h ^ (h >>> 13), m);
  return h ^ (h >>> 15);
};

/** Partition of a key (UTF-8) among `partitions`: the same on every adapter. */
export const partitionOf = (key: string, partitions: number): number =>
  (murmur2(Buffer.from(key)) & 0x7fffffff) % partitions;
