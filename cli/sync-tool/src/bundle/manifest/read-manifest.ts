import { hash } from 'node:crypto';
import type { BundleFolder } from '../files/read-lines.ts';
import { type FileFindings, quote, describe } from '../findings.ts';
import { type PointAt, readDocument, type ReadDocument } from '../json/document.ts';
import type { Language, Area, Manifest } from '../model.ts';
import { flagOf, integerOf, type Part, partsOf, textOf, boundedText, objectOf, uuidOf } from '../records/members.ts';
import { canonicalZone, ZoneTimestamps } from '../time/time.ts';

/** File name of the manifest. */
export const manifestName = 'manifest.json';

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

/** Checks that a manifest lists at least one language, and each code once. */
export const checkLanguages = (languages: readonly Pick<Language, 'code'>[], point: PointAt): void => {
  const codes = new Set<string>();
  for (const [index, { code }] of languages.entries()) {
    if (codes.has(code)) point('languages', index, 'code').problem(`the language ${quote(code)} is listed twice`);
    codes.add(code);
  }
  if (languages.length === 0) point('languages').problem('languages must list at least one language');
};

/** Reads the languages of a manifest: at least one, each code once, one default (bundle contract, 2). */
const readLanguages = (manifest: Part, point: PointAt): readonly Language[] => {
  const parts = partsOf(manifest, 'languages', point('languages'));
  const languages = parts.map((part, index) => readLanguage(part, point('languages', index, 'code')));
  checkLanguages(languages, point);
  const defaults = languages.filter(({ isDefault }) => isDefault);
  if (languages.length > 0 && defaults.length !== 1) {
    const named = defaults.length === 0 ? '' : `: ${defaults.map(({ code }) => quote(code)).join(', ')}`;
    point('languages').problem(`exactly one language must have is_default true, ${defaults.length} have${named}`);
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

type Zone = Pick<Manifest['timezone'], 'name' | 'canonical'>;

/** The placeholder of a zone that the manifest does not name. */
export const utc: Zone = { name: 'UTC', canonical: 'UTC' };

/** Reads the name of a timezone; `UTC` with a problem for what is none. */
export const readZone = (name: unknown, member: string, at: FileFindings, variable: string): Zone => {
  const canonical = typeof name === 'string' ? canonicalZone(name) : null;
  if (typeof name === 'string' && canonical !== null) return { name, canonical };
  at.problem(
    `${member} must be UTC or the name of a zone as Asia/Manila, it is ${describe(name)}; re-export with ${variable} set`,
  );
  return utc;
};

/** Reads the timezone of a manifest. Any source other than `configured` counts as inferred (bundle contract, 2). */
const readTimezone = ({ members }: Part, point: PointAt, variable: string): Manifest['timezone'] => ({
  ...readZone(members['timezone'], 'timezone', point('timezone'), variable),
  source: members['timezone_source'] === 'configured' ? 'configured' : 'inferred',
});

const formatName = 'ext-migration-bundle';
const versionForm = /^1\.\d{1,9}$/;
const idLength = [1, 8] as const;
const nameLength = [0, 256] as const;

/** Checks the format and returns the version, `1.<n>` with any n (bundle contract, 2). */
const readFormat = ({ members }: Part, point: PointAt): string => {
  const { format, format_version: version } = members;
  if (format !== formatName)
    point('format').problem(
      `format must be "${formatName}", it is ${describe(format)}; the manifest of an exported bundle has bundle_schema_version and no format`,
    );
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

/** The content of the manifest, with the data that the files are checked against. */
export interface ReadManifest {
  readonly manifest: Manifest;
  readonly files: readonly ListedFile[];
  readonly timestamps: ZoneTimestamps;
}

const sizeLimit = 4 * 1024 * 1024;

/** Reads the document of a manifest; unlike in records, a duplicate member is a problem (bundle contract, 5). */
export const readManifestDocument = (folder: BundleFolder, at: FileFindings): Promise<ReadDocument | null> =>
  readDocument(folder, at, sizeLimit, (name, line) => at.problem(`has the member ${name} twice in one object`, line));

/** Reads the content of a manifest; what is invalid is reported and replaced (bundle contract, 2). */
export const readManifest = (
  path: string,
  { bytes, members, point }: ReadDocument,
  timezoneVariable: string,
): ReadManifest => {
  const manifest: Part = { members, where: '' };
  const formatVersion = readFormat(manifest, point);
  const timezone = readTimezone(manifest, point, timezoneVariable);
  const languages = readLanguages(manifest, point);
  const timestamps = new ZoneTimestamps(timezone);
  const { exported_at: exportedAt } = manifest.members;
  timestamps.read(exportedAt, 'exported_at', point('exported_at'));
  return {
    manifest: {
      path,
      exportedAt: typeof exportedAt === 'string' ? exportedAt : '',
      sha256: hash('sha256', bytes),
      format: 'own',
      formatVersion,
      area: readArea(manifest, point),
      timezone,
      languages,
      defaultLanguage: languages.find(({ isDefault }) => isDefault)?.code ?? '',
      timeCoverage: null,
    },
    files: readFileList(manifest, point),
    timestamps,
  };
};
