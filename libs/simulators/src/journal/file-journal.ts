import { closeSync, fstatSync, ftruncateSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Journal } from './journal.ts';

/** Every how manieth line the file position is remembered. */
const stride = 256;
const chunkBytes = 262_144;
const newline = 10;

/** Calls `visit` with each whole line of `[from, to)` and the position behind it, until it gives false. */
const scan = (fd: number, from: number, to: number, visit: (line: string, end: number) => boolean): void => {
  let rest: Buffer = Buffer.alloc(0);
  for (let position = from; position < to;) {
    const chunk = Buffer.allocUnsafe(Math.min(chunkBytes, to - position));
    const got = readSync(fd, chunk, 0, chunk.length, position);
    if (got === 0) return;
    const base = position - rest.length;
    const data = rest.length === 0 ? chunk.subarray(0, got) : Buffer.concat([rest, chunk.subarray(0, got)]);
    position += got;
    let start = 0;
    for (let end = data.indexOf(newline); end >= 0; end = data.indexOf(newline, start)) {
      if (!visit(data.toString('utf8', start, end), base + end + 1)) return;
      start = end + 1;
    }
    rest = data.subarray(start);
  }
};

const writeAll = (fd: number, text: string, position: number): void => {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
};

/**
 * Opens a journal in a file. Lines already there are counted and shown to `replay`; a torn last line, left by a kill in the
 * middle of a write, is cut off. Writes are not synced: they survive the process, not the machine.
 */
export const fileJournal = (path: string, replay: (line: string) => void = () => undefined): Journal => {
  const fd = openSync(path, 'a+');
  const marks: number[] = [0];
  let count = 0;
  let size = 0;
  let closed = false;
  const passed = (end: number): void => {
    count += 1;
    size = end;
    if (count % stride === 0) marks.push(end);
  };
  scan(fd, 0, fstatSync(fd).size, (line, end) => {
    passed(end);
    replay(line);
    return true;
  });
  ftruncateSync(fd, size);

  return {
    first: 0,
    get count() {
      return count;
    },
    append(lines) {
      if (closed) throw new Error('the journal is closed');
      if (lines.length === 0) return;
      if (lines.some((line) => line.includes('\n'))) throw new Error('a journal line held a line break');
      let end = size;
      try {
        writeAll(fd, `${lines.join('\n')}\n`, size);
      } catch (error) {
        // The part of a line that was written would run into the next one.
        ftruncateSync(fd, size);
        throw error;
      }
      for (const line of lines) passed((end += Buffer.byteLength(line) + 1));
    },
    read(since, limit) {
      const found: string[] = [];
      const mark = Math.floor(Math.max(0, since) / stride);
      const from = marks[mark];
      if (from === undefined || limit <= 0) return found;
      let number = mark * stride;
      scan(fd, from, size, (line) => {
        if (number >= since) found.push(line);
        number += 1;
        return found.length < limit;
      });
      return found;
    },
    close() {
      if (!closed) closeSync(fd);
      closed = true;
    },
  };
};

/** Opens a journal in a file that holds these lines alone; a reader of the file never sees a part of them. */
export const replacedJournal = (path: string, lines: readonly string[]): Journal => {
  rmSync(`${path}.new`, { force: true });
  const journal = fileJournal(`${path}.new`);
  journal.append(lines);
  renameSync(`${path}.new`, path);
  return journal;
};
