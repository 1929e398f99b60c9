const magic = 0x184d2204;
const minMatch = 4;
const longLength = 15;

/** Bits of the frame's descriptor. */
const flags = { version: 0xc0, blockChecksum: 0x10, contentSize: 0x08, contentChecksum: 0x04, dictionary: 0x01 };
const version = 0x40;
/** A block whose length has this bit is not compressed. */
const stored = 0x8000_0000;

const broken = (): Error => new Error('the lz4 data are invalid');

/** The decompressed bytes; grows up to its bound. */
class Output {
  bytes = Buffer.allocUnsafe(65_536);
  length = 0;
  private readonly maxBytes: number;

  constructor(maxBytes: number) {
    this.maxBytes = maxBytes;
  }

  reserve(more: number): void {
    const needed = this.length + more;
    if (needed > this.maxBytes) throw new Error(`it decompresses to more than ${this.maxBytes} bytes`);
    if (needed <= this.bytes.length) return;
    const grown = Buffer.allocUnsafe(Math.min(this.maxBytes, Math.max(needed, this.bytes.length * 2)));
    this.bytes.copy(grown, 0, 0, this.length);
    this.bytes = grown;
  }

  append(data: Uint8Array): void {
    this.reserve(data.length);
    this.bytes.set(data, this.length);
    this.length += data.length;
  }

  /** Copies byte by byte, because a match may overlap with its own output. */
  repeat(back: number, length: number): void {
    if (back === 0 || back > this.length) throw broken();
    this.reserve(length);
    const { bytes } = this;
    let to = this.length;
    for (const end = to + length; to < end; to += 1) bytes[to] = bytes[to - back] as number;
    this.length = to;
  }
}

/** Decompresses one block; matches may refer to the blocks before it. */
const decompressBlock = (data: Uint8Array, out: Output): void => {
  let at = 0;
  const byte = (): number => {
    const value = data[at++];
    if (value === undefined) throw broken();
    return value;
  };
  const lengthOf = (short: number): number => {
    let length = short;
    if (short === longLength)
      for (let more = 255; more === 255;) {
        more = byte();
        length += more;
      }
    return length;
  };
  while (at < data.length) {
    const token = byte();
    const literals = lengthOf(token >>> 4);
    if (at + literals > data.length) throw broken();
    out.append(data.subarray(at, at + literals));
    at += literals;
    if (at === data.length) return;
    const back = byte() + byte() * 256;
    out.repeat(back, lengthOf(token & longLength) + minMatch);
  }
};

/** Decompresses one frame into `out`; returns the position of the next one. */
const decompressFrame = (data: Buffer, start: number, out: Output): number => {
  if (start + 7 > data.length || data.readUInt32LE(start) !== magic) throw broken();
  const descriptor = data.readUInt8(start + 4);
  if ((descriptor & flags.version) !== version || descriptor & flags.dictionary) throw broken();
  const blockChecksum = descriptor & flags.blockChecksum ? 4 : 0;
  let at = start + 7 + (descriptor & flags.contentSize ? 8 : 0);
  for (;;) {
    if (at + 4 > data.length) throw broken();
    const head = data.readUInt32LE(at);
    at += 4;
    if (head === 0) break;
    const end = at + (head & ~stored);
    if (end + blockChecksum > data.length) throw broken();
    const block = data.subarray(at, end);
    if (head >= stored) out.append(block);
    else decompressBlock(block, out);
    at = end + blockChecksum;
  }
  const end = at + (descriptor & flags.contentChecksum ? 4 : 0);
  if (end > data.length) throw broken();
  return end;
};

/**
 * Decompresses lz4 frames. It ignores their checksums, because the batch has one.
 * @throws Error when the data are broken or too large
 */
export const decompressLz4 = (data: Buffer, maxBytes: number): Buffer => {
  const out = new Output(maxBytes);
  let at = 0;
  do at = decompressFrame(data, at, out);
  while (at < data.length);
  return out.bytes.subarray(0, out.length);
};
