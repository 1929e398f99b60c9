const polynomial = 0x82f63b78;

/** Eight tables: entry `n` of table `k` is the checksum of byte `n` followed by `k` zero bytes. */
const tables = ((): readonly Int32Array[] => {
  const first = Int32Array.from({ length: 256 }, (_, n) => {
    let c = n;
    for (let bit = 0; bit < 8; bit += 1) c = c & 1 ? (c >>> 1) ^ polynomial : c >>> 1;
    return c;
  });
  const all = [first];
  for (let k = 1; k < 8; k += 1) {
    const before = all[k - 1] as Int32Array;
    all.push(before.map((c) => (c >>> 8) ^ (first[c & 0xff] as number)));
  }
  return all;
})();

/** Checksum (Castagnoli) of `data` from `start` to `end`, unsigned. Eight bytes a step: every published byte passes here. */
export const crc32c = (data: Uint8Array, start = 0, end = data.length): number => {
  const [t0, t1, t2, t3, t4, t5, t6, t7] = tables as unknown as [
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  let c = -1;
  let at = start;
  for (const last = end - 8; at <= last; at += 8) {
    c ^= data[at]! | (data[at + 1]! << 8) | (data[at + 2]! << 16) | (data[at + 3]! << 24);
    c =
      t7[c & 0xff]! ^
      t6[(c >>> 8) & 0xff]! ^
      t5[(c >>> 16) & 0xff]! ^
      t4[c >>> 24]! ^
      t3[data[at + 4]!]! ^
      t2[data[at + 5]!]! ^
      t1[data[at + 6]!]! ^
      t0[data[at + 7]!]!;
  }
  for (; at < end; at += 1) c = (c >>> 8) ^ t0[(c ^ data[at]!) & 0xff]!;
  return ~c >>> 0;
};
