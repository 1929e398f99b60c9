import { subjectAt, type Assignment } from './assigned.ts';

/** Who wears a source, in the words of the site. */
export interface SubjectName {
  readonly name: string | undefined;
  readonly type: string | undefined;
}

/** What the site knows about one source; empty where it could not be asked. */
export interface SourceFacts {
  readonly manufacturerId: string | undefined;
  readonly assignments: readonly Assignment[];
  /** By id of the subject. */
  readonly subjects: ReadonlyMap<string, SubjectName>;
}

/** A source that nothing is known about. */
export const unknownSource: SourceFacts = { manufacturerId: undefined, assignments: [], subjects: new Map() };

/** The name of whoever wore the source at an instant. */
export const nameAt = ({ assignments, subjects }: SourceFacts, at: number): SubjectName | undefined => {
  const subject = subjectAt(assignments, at);
  return subject === undefined ? undefined : subjects.get(subject);
};
