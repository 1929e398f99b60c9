import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';

const same = (one: BigIntStats, other: BigIntStats): boolean =>
  one.size === other.size && one.mtimeNs === other.mtimeNs && one.ctimeNs === other.ctimeNs;

/** An open file that knows whether it was changed since it was opened. */
export class WatchedFile {
  readonly #handle: FileHandle;
  readonly #before: BigIntStats;
  readonly size: number;

  private constructor(handle: FileHandle, before: BigIntStats) {
    this.#handle = handle;
    this.#before = before;
    this.size = Number(before.size);
  }

  static async of(handle: FileHandle): Promise<WatchedFile> {
    return new WatchedFile(handle, await handle.stat({ bigint: true }));
  }

  /** Tells apart what the file held at different times, and from other files. */
  get identity(): string {
    const { dev, ino, size, mtimeNs, ctimeNs } = this.#before;
    return [dev, ino, size, mtimeNs, ctimeNs].join(':');
  }

  /** Reads from a place on, from where the last call without one ended when there is none, as much as there is room for; 0 at the end. */
  async read(buffer: Buffer, from: number | null = null): Promise<number> {
    return (await this.#handle.read(buffer, 0, buffer.length, from)).bytesRead;
  }

  async isChanged(): Promise<boolean> {
    return !same(this.#before, await this.#handle.stat({ bigint: true }));
  }
}
