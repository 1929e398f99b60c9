import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { FormDocument } from '@ranger-relay/site';
import type { ChangeOf, Done, StepParts } from './parts.ts';

/** What writing the form needs beside the site. */
export interface FormParts extends StepParts {
  /** Keeps the document that is replaced; answers the name of its file. */
  readonly keepBefore: (document: FormDocument) => Promise<string>;
}

type FormChange = ChangeOf<'universal_patrol_fields'>;

/** Forms that are written because somebody else wrote in between. */
const maxWrites = 4;

const put = async ({ site, writes, keepBefore }: FormParts, change: FormChange, stored: FormDocument | null) => {
  const { kind, action, written } = change;
  const before_file = stored === null ? null : await keepBefore(stored);
  await writes.write({ kind, action, before_file, written }, async () => {
    await site.writeForm(written as unknown as FormDocument, stored);
    return null;
  });
};

/** Writes what is due until the form that is read back has ours. @returns how often it was written */
const writeUntilThere = async (
  parts: FormParts,
  dueOf: (stored: FormDocument | null, writes: number) => FormChange | undefined,
): Promise<number> => {
  for (let count = 0; ; count += 1) {
    const stored = await parts.site.form();
    const due = dueOf(stored, count);
    if (!due) return count;
    if (count === maxWrites) throw new RelayError('form_overwritten', { details: { times: count } });
    try {
      await put(parts, due, stored);
    } catch (error) {
      if (!isRelayError(error, 'site_changed')) throw error;
    }
  }
};

/**
 * Writes the form, read just before, and reads it back: the site knows no versions, and another writer may have read before ours was there.
 * @throws RelayError `form_overwritten`, and what the course throws
 */
export const writeForm = async (parts: FormParts, change: FormChange): Promise<Done> => {
  const { course } = parts;
  const count = await writeUntilThere(parts, (stored, writes) =>
    writes === 0 ? course.form(change, stored) : course.formAfter(change, stored),
  );
  return count === 0 ? 'already' : 'done';
};

/** Looks at the end of a run whether ours is still there, and brings it in again. */
export const checkForm = async (parts: FormParts, change: FormChange): Promise<void> => {
  await writeUntilThere(parts, (stored) => parts.course.formAfter(change, stored));
};
