import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../run/durable.ts';
import { CoverageCount, type SampleLanguage } from './coverage.ts';
import type { ManifestHead, SampleRecord } from './json.ts';
import { writeRecordFile, type FileEntry, type FileStyle } from './record-file.ts';

/** What a bundle is written from. */
export interface BundleParts {
  readonly head: ManifestHead;
  readonly languages: readonly SampleLanguage[];
  /** Records by kind, in the order in which the manifest lists the files; they are taken one at a time. */
  readonly kinds: ReadonlyMap<string, Iterable<SampleRecord>>;
  readonly style?: FileStyle;
  /** Makes the line of a record; JSON when left out. */
  readonly lineOf?: (kind: string, record: SampleRecord, position: number) => string;
}

function* linesOf(parts: BundleParts, kind: string, records: Iterable<SampleRecord>, count: CoverageCount) {
  let position = 0;
  for (const record of records) {
    count.take(kind, record);
    yield parts.lineOf?.(kind, record, position) ?? JSON.stringify(record);
    position += 1;
  }
}

/** Writes a bundle with right sizes, counts, hashes and coverage into a folder, which is made when needed (bundle contract, 2). */
export const writeBundle = async (folder: string, parts: BundleParts): Promise<readonly FileEntry[]> => {
  await makeFolder(folder);
  const count = new CoverageCount();
  const files: FileEntry[] = [];
  for (const [kind, records] of parts.kinds) {
    const path = `${kind}.jsonl`;
    const lines = linesOf(parts, kind, records, count);
    files.push({ path, kind, ...(await writeRecordFile(join(folder, path), lines, parts.style ?? {})) });
  }
  const manifest = { ...parts.head, languages: count.languages(parts.languages), files };
  const mark = parts.style?.mark ? '\uFEFF' : '';
  await writeFile(join(folder, 'manifest.json'), `${mark}${JSON.stringify(manifest, null, 2)}\n`);
  return files;
};
