import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import type { ExecutionContext } from 'ava';
import { problemsOf } from '../findings.ts';
import type { Bundle } from '../model.ts';
import { readBundle, type ReadOptions } from '../read/read-bundle.ts';
import { type SampleRecord, writeBundle } from '../sample/write-bundle.ts';
import { temporaryFolder } from './folder.ts';
import { valid, type ValidKind } from './records.ts';

/** A manifest as a test changes it. */
export type ManifestJson = Record<string, unknown> & { files: Record<string, unknown>[] };

/** What is to be different from a valid bundle. */
export interface Parts {
  /** Records instead of the one valid one. */
  readonly records?: Partial<Record<ValidKind, readonly SampleRecord[]>>;
  /** Bytes of files, with the number of records that the manifest is to promise (1 when left out). */
  readonly raw?: Partial<Record<ValidKind, string | Buffer>>;
  readonly rawRecords?: number;
  readonly manifest?: (manifest: ManifestJson) => unknown;
}

const head = {
  format: 'ext-migration-bundle',
  format_version: '1.1',
  exported_at: '2026-01-31T14:03:11+08:00',
  conservation_area: { uuid: 'aa'.repeat(16), id: '051', name: 'Sample Area' },
  timezone: 'Asia/Manila',
  timezone_source: 'configured',
};

const manifestOf = async (folder: string): Promise<ManifestJson> =>
  JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8')) as ManifestJson;

const putRaw = async (folder: string, kind: string, content: string | Buffer, records: number): Promise<void> => {
  const bytes = Buffer.from(content);
  await writeFile(join(folder, `${kind}.jsonl`), bytes);
  const manifest = await manifestOf(folder);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  for (const file of manifest.files)
    if (file['kind'] === kind) Object.assign(file, { records, bytes: bytes.length, sha256 });
  await writeFile(join(folder, 'manifest.json'), JSON.stringify(manifest, null, 2));
};

/** A bundle in a folder of its own, and ways to read it. */
export interface Harness {
  readonly folder: string;
  read(options?: ReadOptions): Promise<Bundle>;
  /** Texts of the warnings of a bundle that must be valid. */
  warnings(): Promise<readonly string[]>;
  /** Problems of a bundle that must be invalid. */
  problems(options?: ReadOptions): Promise<readonly string[]>;
}

/** Ways to read what is at a path. */
export const harnessAt = (folder: string): Harness => ({
  folder,
  read: (options) => readBundle(folder, options),
  warnings: async () => (await readBundle(folder)).warnings.map(({ text }) => text),
  problems: async (options) => {
    try {
      await readBundle(folder, options);
    } catch (error) {
      if (isRelayError(error, 'bundle_invalid')) return problemsOf(error);
      throw error;
    }
    throw new Error('the bundle is valid');
  },
});

/** A small valid bundle, but for the parts. */
export const bundleHarness = async (t: ExecutionContext, { records, raw, rawRecords = 1, manifest }: Parts = {}) => {
  const folder = await temporaryFolder(t);
  const kinds = Object.entries(valid).map(
    ([kind, record]) => [kind, records?.[kind as ValidKind] ?? [record]] as const,
  );
  const languages = [{ code: 'en', name: 'English', is_default: true }];
  await writeBundle(folder, { head, languages, kinds: new Map(kinds) });
  for (const [kind, content] of Object.entries(raw ?? {})) await putRaw(folder, kind, content, rawRecords);
  if (manifest !== undefined) {
    const changed = manifest(await manifestOf(folder));
    const isRaw = typeof changed === 'string' || Buffer.isBuffer(changed);
    await writeFile(join(folder, 'manifest.json'), isRaw ? changed : JSON.stringify(changed, null, 2));
  }
  return harnessAt(folder);
};

/** Holds that exactly one problem is found, at this place and with these words. */
export const hasProblem = async (
  t: ExecutionContext,
  harness: Harness,
  place: string,
  words: RegExp,
): Promise<void> => {
  const problems = await harness.problems();
  t.is(problems.length, 1, problems.join('\n'));
  t.true(problems[0]?.startsWith(`${place}: `), problems[0] ?? '');
  t.regex(problems[0] ?? '', words);
};
