import { describe, type FileFindings, quote } from '../findings.ts';
import { integerOf, type Part, partsOf, textOf } from '../records/members.ts';
import type { PointAt } from './manifest-findings.ts';

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
export const readFileList = (manifest: Part, point: PointAt): readonly ListedFile[] => {
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
