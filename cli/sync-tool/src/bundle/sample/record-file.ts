import { createHash } from 'node:crypto';
import { open, type FileHandle } from 'node:fs/promises';

const heldChars = 256 * 1024;

/** Ways to write the same records that mean the same. */
export interface FileStyle {
  readonly mark?: boolean;
  readonly crlf?: boolean;
  readonly blankLines?: boolean;
  readonly withoutLastNewline?: boolean;
}

/** What the manifest says of a file. */
export interface FileEntry {
  readonly path: string;
  readonly kind: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes lines to a file piece by piece and keeps what the manifest says of it. */
class RecordFile {
  readonly #handle: FileHandle;
  readonly #style: FileStyle;
  readonly #hash = createHash('sha256');
  #held: string;
  #records = 0;
  #bytes = 0;

  constructor(handle: FileHandle, style: FileStyle) {
    this.#handle = handle;
    this.#style = style;
    this.#held = style.mark ? '\uFEFF' : '';
  }

  async add(line: string): Promise<void> {
    const { crlf, blankLines, withoutLastNewline } = this.#style;
    const end = crlf ? '\r\n' : '\n';
    if (withoutLastNewline && this.#records > 0) this.#held += end;
    this.#held += withoutLastNewline ? line : line + end;
    if (blankLines && this.#records % 3 === 0) this.#held += ` ${end}`;
    this.#records += 1;
    if (this.#held.length > heldChars) await this.#flush();
  }

  async end(): Promise<Omit<FileEntry, 'path' | 'kind'>> {
    await this.#flush();
    return { records: this.#records, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async #flush(): Promise<void> {
    const bytes = Buffer.from(this.#held);
    this.#held = '';
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    await this.#handle.writeFile(bytes);
  }
}

/** Writes lines to a new file, without holding them all. */
export const writeRecordFile = async (path: string, lines: Iterable<string>, style: FileStyle) => {
  const handle = await open(path, 'w');
  try {
    const file = new RecordFile(handle, style);
    for (const line of lines) await file.add(line);
    return await file.end();
  } finally {
    await handle.close();
  }
};
