import type { Failure } from './protocol.ts';

const full = new Set([13]);
const damaged = new Set([11, 26]);
const unusable = new Set([3, 8, 14, 23]);
const fatal = new Set([7, 8, 10, 11, 13, 14, 26]);

/** SQLITE_IOERR_SHMSIZE: no room for the index of the write-ahead log. */
const noRoomForShm = 4874;

const codeOf = (error: unknown): number => {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' ? code : 0;
};

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).slice(0, 500);

/** A thrown value of node:sqlite as a failure that can travel. */
export const failureOf = (error: unknown): Failure => {
  const code = codeOf(error);
  const primary = code & 0xff;
  const problem = textOf(error);
  if (full.has(primary) || code === noRoomForShm) return { kind: 'full', problem };
  if (damaged.has(primary)) return { kind: 'damaged', problem };
  if (unusable.has(primary)) return { kind: 'unusable', problem };
  return { kind: 'other', problem };
};

/** The disk or the file failed, not the statement: nothing of the transaction can be kept. */
export const isFatal = (error: unknown): boolean => fatal.has(codeOf(error) & 0xff);
