const block = 512;

/** Reads a tar a second way, by its description alone, as anybody's program would. @param {Uint8Array} bytes */
export const readTar = (bytes) => {
  const archive = Buffer.from(bytes);
  /** @type {{ path: string, type: string, mode: number, user: number, group: number, modified: number, names: string, content: Buffer }[]} */
  const entries = [];
  for (let at = 0; ;) {
    const header = archive.subarray(at, at + block);
    if (header.every((byte) => byte === 0)) {
      if (archive.length !== at + 2 * block || archive.subarray(at).some((byte) => byte !== 0))
        throw new Error('the end is not two empty blocks');
      return entries;
    }
    const text = (/** @type {number} */ from, /** @type {number} */ length) =>
      header.toString('latin1', from, from + length).replace(/\0.*$/s, '');
    const number = (/** @type {number} */ from, /** @type {number} */ length) =>
      Number.parseInt(text(from, length).trim(), 8);
    const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 32 : byte), 0);
    if (number(148, 8) !== sum) throw new Error(`the sum of the header at ${at} is wrong`);
    if (text(257, 6) !== 'ustar') throw new Error('this is not ustar');
    const size = number(124, 12);
    const prefix = text(345, 155);
    entries.push({
      path: prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`,
      type: text(156, 1),
      mode: number(100, 8),
      user: number(108, 8),
      group: number(116, 8),
      modified: number(136, 12),
      names: text(265, 64),
      content: archive.subarray(at + block, at + block + size),
    });
    at += block + Math.ceil(size / block) * block;
  }
};

/** @param {AsyncIterable<Uint8Array>} chunks */
export const gathered = async (chunks) => {
  const all = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all);
};
