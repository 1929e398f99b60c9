/** First bytes of the stream format of Java writers: a sequence of blocks, each preceded by its length. */
const streamMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0x00]);
const streamHeadBytes = streamMagic.length + 8;

const broken = (): Error => new Error('the snappy data are invalid');

interface Varint {
  readonly value: number;
  readonly at: number;
}

const readVarint = (data: Uint8Array): Varint => {
  let value = 0;
  for (let at = 0; at < Math.min(5, data.length); at += 1) {
    const byte = data[at] as number;
    value += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return { value, at: at + 1 };
  }
  throw broken();
};

/** Longer literals have their length in up to four bytes after the tag. */
const shortLiteral = 60;

const readLittle = (data: Uint8Array, at: number, bytes: number): number => {
  if (at + bytes > data.length) throw broken();
  let value = 0;
  for (let index = bytes - 1; index >= 0; index -= 1) value = value * 256 + (data[at + index] as number);
  return value;
};

const decompressBlock = (data: Uint8Array, maxBytes: number): Buffer => {
  const { value: size, at: start } = readVarint(data);
  if (size > maxBytes) throw new Error(`it decompresses to ${size} bytes, more than ${maxBytes}`);
  const out = Buffer.allocUnsafe(size);
  let at = start;
  let to = 0;
  while (at < data.length) {
    const tag = data[at++] as number;
    const kind = tag & 3;
    if (kind === 0) {
      const short = tag >>> 2;
      const extra = Math.max(0, short - shortLiteral + 1);
      const length = (extra === 0 ? short : readLittle(data, at, extra)) + 1;
      at += extra;
      if (at + length > data.length || to + length > size) throw broken();
      out.set(data.subarray(at, at + length), to);
      at += length;
      to += length;
      continue;
    }
    const length = kind === 1 ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
    const bytes = kind === 3 ? 4 : kind;
    const back = readLittle(data, at, bytes) + (kind === 1 ? (tag >>> 5) * 256 : 0);
    at += bytes;
    if (back === 0 || back > to || to + length > size) throw broken();
    // Copies byte by byte, because a copy may overlap with its own output.
    for (const end = to + length; to < end; to += 1) out[to] = out[to - back] as number;
  }
  if (to !== size) throw broken();
  return out;
};

/**
 * Decompresses a snappy block, or the stream format of Java writers.
 * @throws Error when the data are broken or too large
 */
export const decompressSnappy = (data: Buffer, maxBytes: number): Buffer => {
  if (!data.subarray(0, streamMagic.length).equals(streamMagic)) return decompressBlock(data, maxBytes);
  const blocks: Buffer[] = [];
  let left = maxBytes;
  for (let at = streamHeadBytes; at < data.length;) {
    if (at + 4 > data.length) throw broken();
    const end = at + 4 + data.readUInt32BE(at);
    if (end > data.length) throw broken();
    const block = decompressBlock(data.subarray(at + 4, end), left);
    blocks.push(block);
    left -= block.length;
    at = end;
  }
  if (blocks.length === 0) throw broken();
  return Buffer.concat(blocks);
};
