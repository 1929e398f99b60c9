import { hash } from 'node:crypto';
import { readBytes } from '../files/read-bytes.ts';
import { withFile } from '../files/with-file.ts';
import type { FileFindings } from '../findings.ts';
import type { Manifest } from '../model.ts';
import { ZoneTimestamps } from '../time/zone-timestamps.ts';
import { readFileList, type ListedFile } from './files.ts';
import { readArea, readFormat } from './header.ts';
import { readLanguages } from './languages.ts';
import { manifestName } from './manifest-findings.ts';
import { parseManifest } from './parse-manifest.ts';
import { readTimezone } from './zone.ts';

const sizeLimit = 4 * 1024 * 1024;

/** What the manifest says, with what the files are checked against. */
export interface ReadManifest {
  readonly manifest: Manifest;
  readonly files: readonly ListedFile[];
  readonly timestamps: ZoneTimestamps;
}

const readWhole = async (root: string, at: FileFindings): Promise<Buffer | null> => {
  let whole: Buffer | null = null;
  const onProblem = (problem: string): void => at.problem(`${manifestName} ${problem}`);
  await withFile(root, manifestName, onProblem, async (file) => {
    if (file.size > sizeLimit) return at.problem(`is over ${sizeLimit} bytes, the most that a manifest may have`);
    const bytes = await readBytes(file);
    if (await file.isChanged()) at.problem('was changed while it was read; wait until the export has ended');
    else whole = bytes;
  });
  return whole;
};

/** Reads the manifest of a bundle; null when nothing of it can be used. Problems are noted either way (bundle contract, 2). */
export const readManifest = async (root: string, path: string, at: FileFindings): Promise<ReadManifest | null> => {
  const bytes = await readWhole(root, at);
  const parsed = bytes === null ? null : parseManifest(bytes, at);
  if (bytes === null || parsed === null) return null;
  const { manifest, point } = parsed;
  const formatVersion = readFormat(manifest, point);
  const timezone = readTimezone(manifest, point);
  const timestamps = new ZoneTimestamps(timezone.canonical);
  const { exported_at: exportedAt } = manifest.members;
  timestamps.read(exportedAt, 'exported_at', point('exported_at'));
  return {
    manifest: {
      path,
      exportedAt: String(exportedAt),
      sha256: hash('sha256', bytes),
      formatVersion,
      area: readArea(manifest, point),
      timezone,
      languages: readLanguages(manifest, point),
    },
    files: readFileList(manifest, point),
    timestamps,
  };
};
