import { createHash } from 'node:crypto';
import * as disk from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../run/files.ts';
import { CoverageCount, type SampleLanguage } from './coverage.ts';

/** A record to be written; undefined members are left out. */
export type SampleRecord = Readonly<Record<string, unknown>>;

/** The members of a manifest except `files` and `languages`. */
export type ManifestHead = Readonly<Record<string, unknown>>;

const heldChars = 256 * 1024;

/** Different but equivalent ways to write the same records. */
export interface FileStyle {
  readonly mark?: boolean;
  readonly crlf?: boolean;
  readonly blankLines?: boolean;
  readonly withoutLastNewline?: boolean;
}

/** The manifest entry of a file. */
export interface FileEntry {
  readonly path: string;
  readonly kind: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Writes lines to a file incrementally and collects its manifest entry. */
class RecordFile {
  readonly #handle: disk.FileHandle;
  readonly #style: FileStyle;
  readonly #hash = createHash('sha256');
  #held: string;
  #records = 0;
  #bytes = 0;

  constructor(handle: disk.FileHandle, style: FileStyle) {
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

/** Writes lines to a new file without holding all of them in memory. */
export const writeRecordFile = async (path: string, lines: Iterable<string>, style: FileStyle) => {
  const handle = await disk.open(path, 'w');
  try {
    const file = new RecordFile(handle, style);
    for (const line of lines) await file.add(line);
    return await file.end();
  } finally {
    await handle.close();
  }
};

/** What a bundle holds, in the records of our format, and how it is written. */
export interface BundleContents {
  readonly head: ManifestHead;
  readonly languages: readonly SampleLanguage[];
  /** Records by kind, in the order of the files in the manifest; consumed one at a time. */
  readonly kinds: ReadonlyMap<string, Iterable<SampleRecord>>;
  readonly style?: FileStyle;
  /** Only exported bundles have waypoints. */
  readonly waypointsPerLeg?: number;
  /** Formats the line of a record; defaults to JSON. */
  readonly lineOf?: (kind: string, record: SampleRecord, position: number) => string;
}

function* linesOf(parts: BundleContents, kind: string, records: Iterable<SampleRecord>, count: CoverageCount) {
  let position = 0;
  for (const record of records) {
    count.take(kind, record);
    yield parts.lineOf?.(kind, record, position) ?? JSON.stringify(record);
    position += 1;
  }
}

/** Writes a bundle with correct sizes, counts, hashes and coverage into a folder and creates the folder if needed (bundle contract, 2). */
export const writeBundle = async (folder: string, parts: BundleContents): Promise<readonly FileEntry[]> => {
  await makeFolder(disk, folder);
  const count = new CoverageCount();
  const files: FileEntry[] = [];
  for (const [kind, records] of parts.kinds) {
    const path = `${kind}.jsonl`;
    const lines = linesOf(parts, kind, records, count);
    files.push({ path, kind, ...(await writeRecordFile(join(folder, path), lines, parts.style ?? {})) });
  }
  const manifest = { ...parts.head, languages: count.languages(parts.languages), files };
  const mark = parts.style?.mark ? '\uFEFF' : '';
  await disk.writeFile(join(folder, 'manifest.json'), `${mark}${JSON.stringify(manifest, null, 2)}\n`);
  return files;
};
