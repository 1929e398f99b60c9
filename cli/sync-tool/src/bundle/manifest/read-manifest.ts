import { isUtf8 } from 'node:buffer';
import { hash } from 'node:crypto';
import { type BundleFolder, isWide, markBytes, readBytes, wideProblem, withFile } from '../files/read-lines.ts';
import { type FileFindings, quote, describe } from '../findings.ts';
import { walkJson, hasLoneSurrogate, isObject } from '../json/parse-line.ts';
import type { Language, Area, Manifest } from '../model.ts';
import { flagOf, integerOf, type Part, partsOf, textOf, boundedText, objectOf, uuidOf } from '../records/members.ts';
import { canonicalZone, ZoneTimestamps } from '../time/time.ts';

/** File name of the manifest. */
export const manifestName = 'manifest.json';

/** Returns a function that finds the line of a position in a text; positions must not decrease. */
const lineCounter = (text: string): ((at: number) => number) => {
  let line = 1;
  let from = 0;
  return (at) => {
    for (let end = text.indexOf('\n', from); end >= 0 && end < at; end = text.indexOf('\n', from)) {
      line += 1;
      from = end + 1;
    }
    return line;
  };
};

/** The line (from 1) of a position in a text. */
const lineOf = (text: string, at: number): number => lineCounter(text)(at);

/** Returns findings at the line of a member of the manifest, such as `['files', 3, 'path']`. */
type PointAt = (...path: readonly (string | number)[]) => FileFindings;

/** Locates the members of a manifest; a missing member has the location of its closest existing parent. */
const pointer = (text: string, at: FileFindings): PointAt => {
  const lines = new Map<string, number>();
  const lineAt = lineCounter(text);
  walkJson(text, (path, place) => {
    if (path.length <= 3) lines.set(path.join('/'), lineAt(place));
  });
  return (...path) => {
    at.line = 1;
    for (let length = path.length; length > 0 && at.line === 1; length -= 1)
      at.line = lines.get(path.slice(0, length).join('/')) ?? 1;
    return at;
  };
};

const fourDigits = 10_000;

/** Coverage computed from the integers, to 4 digits. */
export const coverageOf = (labelled: number, total: number): number =>
  total === 0 ? 1 : Math.round((labelled / total) * fourDigits) / fourDigits;

const coverageIn = (part: Part, labelled: number, total: number, code: string, at: FileFindings): number => {
  const { coverage } = part.members;
  if (typeof coverage !== 'number' || !(coverage >= 0 && coverage <= 1)) {
    at.problem(`${part.where}coverage must be a number from 0 to 1`);
    return 0;
  }
  const expected = coverageOf(labelled, total);
  if (Math.abs(coverage - expected) * fourDigits > 1)
    at.warn(
      `coverage ${code}`,
      `the coverage ${coverage} of ${quote(code)} is not labelled/total (${labelled}/${total} = ${expected})`,
    );
  return coverage;
};

const readLanguage = (part: Part, at: FileFindings): Language => {
  const code = textOf(part, 'code', at).trim();
  if (code === '' && typeof part.members['code'] === 'string') at.problem(`${part.where}code is blank`);
  const labelled = integerOf(part, 'labelled', at, 0);
  const total = integerOf(part, 'total', at, 0);
  return {
    code,
    name: textOf(part, 'name', at),
    isDefault: flagOf(part, 'is_default', at),
    labelled,
    total,
    coverage: coverageIn(part, labelled, total, code, at),
  };
};

/** Reads the languages of a manifest: at least one, each code once, one default (bundle contract, 2). */
const readLanguages = (manifest: Part, point: PointAt): readonly Language[] => {
  const parts = partsOf(manifest, 'languages', point('languages'));
  const languages = parts.map((part, index) => readLanguage(part, point('languages', index, 'code')));
  const codes = new Set<string>();
  for (const [index, { code }] of languages.entries()) {
    if (codes.has(code)) point('languages', index, 'code').problem(`the language ${quote(code)} is listed twice`);
    codes.add(code);
  }
  const defaults = languages.filter(({ isDefault }) => isDefault);
  const at = point('languages');
  if (languages.length === 0) at.problem('languages must list at least one language');
  else if (defaults.length !== 1) {
    const named = defaults.length === 0 ? '' : `: ${defaults.map(({ code }) => quote(code)).join(', ')}`;
    at.problem(`exactly one language must have is_default true, ${defaults.length} have${named}`);
  }
  return languages;
};

const unsafe = (path: string): string | null => {
  if (path === '') return 'is empty';
  if (/\p{Cc}/u.test(path)) return 'holds a control character';
  if (path.includes('\\')) return 'holds a backslash; separate folders by /';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path)) return 'is not relative to the bundle';
  return path.split('/').some((part) => part === '' || part === '.' || part === '..')
    ? 'holds an empty part, "." or ".."'
    : null;
};

/** Returns a sentence about a path of the manifest that does not lead below the bundle; null when it does (bundle contract, 5). */
const pathProblem = (path: string): string | null => {
  const problem = unsafe(path);
  return problem === null ? null : `the path ${quote(path)} ${problem}`;
};

/** A key that is equal for paths that some file systems treat as the same file. */
const pathIdentity = (path: string): string => path.normalize('NFC').toLowerCase();

/** The kinds that are read, in reading order: patrols refer to records of earlier kinds. */
const kindsRead = [
  'transports',
  'patrol_classes',
  'mandates',
  'stations',
  'patrol_attributes',
  'employees',
  'teams',
  'patrols',
] as const;

/** A kind that is read. All kinds except `teams` are required. */
export type Kind = (typeof kindsRead)[number];

/** A file of a kind that is read. `line` is its line in the manifest. */
export interface ListedFile {
  readonly path: string;
  readonly kind: Kind;
  readonly records: number;
  readonly bytes: number;
  /** Hexadecimal, lower case. */
  readonly sha256: string;
  readonly line: number;
}

const hashForm = /^[0-9a-f]{64}$/;

const isRead = (kind: string): kind is Kind => (kindsRead as readonly string[]).includes(kind);

const hashOf = ({ members, where }: Part, at: FileFindings): string => {
  const { sha256 } = members;
  const hash = typeof sha256 === 'string' ? sha256.toLowerCase() : '';
  if (!hashForm.test(hash)) at.problem(`${where}sha256 must be 64 hex digits, it is ${describe(sha256)}`);
  return hash;
};

const pathOf = (part: Part, seen: Map<string, string>, at: FileFindings): string => {
  const path = textOf(part, 'path', at);
  if (typeof part.members['path'] !== 'string') return path;
  const problem = pathProblem(path);
  if (problem !== null) at.problem(problem);
  const identity = pathIdentity(path);
  const other = seen.get(identity);
  if (other === path) at.problem(`the file ${quote(path)} is listed twice`);
  else if (other !== undefined) at.problem(`the files ${quote(path)} and ${quote(other)} differ in case alone`);
  seen.set(identity, path);
  return path;
};

/** Reads the list of files in a manifest. Files of unknown kinds need a safe path and are otherwise ignored (bundle contract, 2). */
const readFileList = (manifest: Part, point: PointAt): readonly ListedFile[] => {
  const listed = new Map<Kind, ListedFile>();
  const seen = new Map<string, string>();
  for (const [index, part] of partsOf(manifest, 'files', point('files')).entries()) {
    const at = point('files', index, 'path');
    const path = pathOf(part, seen, at);
    const kind = textOf(part, 'kind', at);
    if (!isRead(kind)) continue;
    const [records, bytes] = [integerOf(part, 'records', at, 0), integerOf(part, 'bytes', at, 0)];
    const file = { path, kind, records, bytes, sha256: hashOf(part, at), line: at.line };
    const other = listed.get(kind);
    if (other === undefined) listed.set(kind, file);
    else at.problem(`the kind ${kind} is listed twice, as ${quote(other.path)} and ${quote(path)}`);
  }
  const at = point('files');
  for (const kind of kindsRead)
    if (!listed.has(kind) && kind !== 'teams')
      at.problem(`files must list the kind ${kind}, also when it has no records`);
  return kindsRead.flatMap((kind) => listed.get(kind) ?? []);
};

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

const decoded = (bytes: Buffer, at: FileFindings): string | null => {
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
  const text = decoded(bytes, at);
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

const readWhole = async (folder: BundleFolder, at: FileFindings): Promise<Buffer | null> => {
  let whole: Buffer | null = null;
  const onProblem = (problem: string): void => at.problem(`${manifestName} ${problem}`);
  await withFile(folder, manifestName, onProblem, async (file) => {
    if (file.size > sizeLimit) return at.problem(`is over ${sizeLimit} bytes, the most that a manifest may have`);
    const bytes = await readBytes(file);
    if (await file.isChanged()) at.problem('was changed while it was read; wait until the export has ended');
    else whole = bytes;
  });
  return whole;
};

/** Reads the manifest of a bundle; null when it is unusable. Reports problems in either case (bundle contract, 2). */
export const readManifest = async (
  folder: BundleFolder,
  path: string,
  at: FileFindings,
): Promise<ReadManifest | null> => {
  const bytes = await readWhole(folder, at);
  const parsed = bytes === null ? null : parseManifest(bytes, at);
  if (bytes === null || parsed === null) return null;
  const { manifest, point } = parsed;
  const formatVersion = readFormat(manifest, point);
  const timezone = readTimezone(manifest, point);
  const timestamps = new ZoneTimestamps(timezone);
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
