import { createHash } from 'node:crypto';
import type { RecordedChange, UndoReport } from '@ranger-relay/contracts';

/** What decides, beside the site, what an undo takes back. */
interface Choices {
  readonly force: ReadonlySet<RecordedChange['kind']>;
  readonly deleteSubjects: boolean;
}

/**
 * The hash of what an undo takes back and what it leaves, SHA-256 in hex, from the report of a dry run; null when an entry could not be
 * looked at. What is undone already counts as taken back, so that an undo that was broken off keeps its hash.
 */
export const undoPlanHash = ({ entries }: UndoReport, { force, deleteSubjects }: Choices): string | null => {
  if (entries.some(({ outcome }) => outcome === 'failed')) return null;
  const decided = entries.map(({ record, entry, outcome }) => [record, entry, outcome]);
  const text = JSON.stringify({ force: [...force].toSorted(), deleteSubjects, decided });
  return createHash('sha256').update(text).digest('hex');
};
