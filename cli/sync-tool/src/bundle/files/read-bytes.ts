import type { WatchedFile } from './watched-file.ts';

/** The bytes of a small file; at most one more than its size when it was opened. */
export const readBytes = async (file: WatchedFile): Promise<Buffer> => {
  const buffer = Buffer.alloc(file.size + 1);
  let held = 0;
  while (held < buffer.length) {
    const count = await file.read(buffer.subarray(held));
    if (count === 0) break;
    held += count;
  }
  return buffer.subarray(0, held);
};
