/** Reads the fields of a response, from the left. Strings, lists and tags are those of the flexible versions, where the name says compact. */
export class WireReader {
  at: number;
  readonly buffer: Buffer;

  constructor(buffer: Buffer, at = 0) {
    this.buffer = buffer;
    this.at = at;
  }

  int16 = (): number => this.buffer.readInt16BE((this.at += 2) - 2);
  int32 = (): number => this.buffer.readInt32BE((this.at += 4) - 4);
  int64 = (): bigint => this.buffer.readBigInt64BE((this.at += 8) - 8);

  /** A length below 0, that of null, gives no bytes. */
  bytes = (length: number): Buffer => {
    const start = this.at;
    this.at += Math.max(0, length);
    return this.buffer.subarray(start, this.at);
  };

  text = (): string => this.bytes(this.int16()).toString();
  uuid = (): string => this.bytes(16).toString('hex');
  list = <T>(read: () => T): T[] => Array.from({ length: Math.max(0, this.int32()) }, read);

  /** The length that precedes what is compact; -1 for null. */
  compactLength = (): number => {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.buffer.readUInt8(this.at);
      this.at += 1;
      length |= (byte & 0x7f) << shift;
      if (byte < 0x80) return length - 1;
    }
  };

  compactText = (): string => this.bytes(this.compactLength()).toString();
  compactList = <T>(read: () => T): T[] => Array.from({ length: Math.max(0, this.compactLength()) }, read);

  /** Skips the tagged fields at the end of a structure. */
  skipTags = (): void => {
    for (let tags = this.compactLength() + 1; tags > 0; tags -= 1) {
      this.compactLength();
      this.bytes(this.compactLength() + 1);
    }
  };
}
