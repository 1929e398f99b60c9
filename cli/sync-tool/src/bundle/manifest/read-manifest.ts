import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { isWide, markBytes, readBytes, wideProblem, withFile } from '../files/read-lines.ts';
import { describe, type FileFindings, quote } from '../findings.ts';
import { hasLoneSurrogate, isObject, walkJson } from '../json/parse-line.ts';
import type { Area, Manifest } from '../model.ts';
import { boundedText, objectOf, type Part, uuidOf } from '../records/members.ts';
import { canonicalZone, ZoneTimestamps } from '../time/time.ts';
import { type ListedFile, readFileList } from './files.ts';
import { readLanguages } from './languages.ts';
import { lineOf, manifestName, type PointAt, pointer } from './manifest-findings.ts';

/** Reads the timezone of a manifest. Any source other than `configured` counts as inferred (bundle contract, 2). */
const readTimezone = ({ members }: Part, point: PointAt): Manifest['timezone'] => {
  const { timezone: name, timezone_source: source } = members;
  const canonical = typeof name === 'string' ? canonicalZone(name) : null;
  if (typeof name === 'string' && canonical !== null)
    return { name, canonical, source: source === 'configured' ? 'configured' : 'inferred' };
  point('timezone').problem(
    `timezone must be UTC or the name of a zone as Asia/Manila, it is ${describe(name)}; re-export with EXT_TIMEZONE set`,
  );
  return { name: 'UTC', canonical: 'UTC', source: 'inferred' };
};

const formatName = 'ext-migration-bundle';
const versionForm = /^1\.\d{1,9}$/;
const idLength = [1, 8] as const;
const nameLength = [0, 256] as const;

/** Checks the format and returns the version, `1.<n>` with any n (bundle contract, 2). */
const readFormat = ({ members }: Part, point: PointAt): string => {
  const { format, format_version: version } = members;
  if (format !== formatName) point('format').problem(`format must be "${formatName}", it is ${describe(format)}`);
  if (typeof version === 'string' && versionForm.test(version)) return version;
  point('format_version').problem(
    `format_version must be a text "1.<number>", it is ${describe(version)}; this tool reads no other version`,
  );
  return '';
};

/** Reads the conservation area. Its `id` is a text, in which leading zeros matter. */
const readArea = (manifest: Part, point: PointAt): Area => {
  const area = objectOf(manifest, 'conservation_area', point('conservation_area'));
  if (area === null) return { uuid: '', id: '', name: '' };
  const id = boundedText(area, 'id', idLength, point('conservation_area', 'id'));
  if (id !== '' && id.trim() === '') point('conservation_area', 'id').problem('conservation_area.id is blank');
  return {
    uuid: uuidOf(area, 'uuid', point('conservation_area', 'uuid')),
    id,
    name: boundedText(area, 'name', nameLength, point('conservation_area', 'name')),
  };
};

const textOf = (bytes: Buffer, at: FileFindings): string | null => {
  if (isWide(bytes)) at.problem(wideProblem);
  else if (!isUtf8(bytes)) at.problem('is not UTF-8');
  else return bytes.subarray(markBytes(bytes)).toString('utf8');
  return null;
};

/**
 * Parses the manifest to an object and a way to find the lines of its members. Reports a problem and returns null when it is not a valid
 * object; unlike in records, a duplicate member is also a problem (bundle contract, 5).
 */
const parseManifest = (bytes: Buffer, at: FileFindings): { manifest: Part; point: PointAt } | null => {
  const text = textOf(bytes, at);
  if (text === null) return null;
  const { fault, duplicate } = walkJson(text);
  if (fault !== null) {
    at.problem(text.trim() === '' ? 'is empty' : fault.text, lineOf(text, fault.at));
    return null;
  }
  if (duplicate !== null)
    at.problem(`has the member ${quote(duplicate.name)} twice in one object`, lineOf(text, duplicate.at));
  const value: unknown = JSON.parse(text);
  if (!isObject(value)) at.problem('is not an object');
  else if (hasLoneSurrogate(text, value)) at.problem('holds half of a surrogate pair (\\ud800 to \\udfff) as a text');
  else return { manifest: { members: value, where: '' }, point: pointer(text, at) };
  return null;
};

const sizeLimit = 4 * 1024 * 1024;

/** The content of the manifest, with the data that the files are checked against. */
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

/** Reads the manifest of a bundle; null when it is unusable. Reports problems in either case (bundle contract, 2). */
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
