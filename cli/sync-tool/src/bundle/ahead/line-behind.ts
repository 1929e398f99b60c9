import type { WatchedFile } from '../files/watched-file.ts';

const newline = 10;
const lookBytes = 1024 * 1024;

/** The beginning of a line behind the given share of a file; undefined when there is none near. */
export const lineBehind = async (file: WatchedFile, share: number): Promise<number | undefined> => {
  const from = Math.floor(file.size * share);
  const buffer = Buffer.allocUnsafe(lookBytes);
  const count = await file.read(buffer, from);
  const end = buffer.subarray(0, count).indexOf(newline);
  return end < 0 || from + end + 1 >= file.size ? undefined : from + end + 1;
};
