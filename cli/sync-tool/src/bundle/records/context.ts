import type { FileFindings } from '../findings.ts';
import { UuidTable } from '../identity/uuid-table.ts';
import { UuidWords } from '../identity/uuid-words.ts';
import type { Names } from '../model.ts';
import { uuidOf, type Part } from './members.ts';

const words = new UuidWords();

/** What reading the records of one file needs beside them. */
export interface RecordContext {
  readonly at: FileFindings;
  /** Codes of the languages in the manifest. */
  readonly languages: ReadonlySet<string>;
  /** Lines of the uuids of the records so far, and of what lies inside them. */
  readonly uuids: UuidTable;
  readonly innerUuids: UuidTable;
  /** Labels by their JSON. */
  readonly shared: Map<string, Names>;
}

/** A context for a file of which nothing is read yet. */
export const recordContext = (at: FileFindings, languages: ReadonlySet<string>): RecordContext => ({
  at,
  languages,
  uuids: new UuidTable(),
  innerUuids: new UuidTable(),
  shared: new Map(),
});

/** Notes a canonical uuid as taken; one that was taken before in this file, in whatever spelling, is a problem. */
export const takeUuid = (uuid: string, where: string, lines: UuidTable, at: FileFindings): void => {
  const first = words.read(uuid) ? lines.add(words, at.line) : 0;
  if (first !== 0) at.problem(`${where}uuid ${uuid} stands in the file twice, first in line ${first}`);
};

/** The uuid of a record, unique in its file. */
export const ownUuid = (part: Part, { at, uuids }: RecordContext): string => {
  const uuid = uuidOf(part, 'uuid', at);
  takeUuid(uuid, part.where, uuids, at);
  return uuid;
};
