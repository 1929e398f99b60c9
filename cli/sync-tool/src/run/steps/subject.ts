import { RelayError } from '@ranger-relay/errors';
import type { ChangeOf, Done, StepParts } from './parts.ts';

/** Writes one subject, and remembers who it stands for. */
export const writeSubject = async (
  { site, writes, subjects }: StepParts,
  change: ChangeOf<'subject'>,
): Promise<Done> => {
  const { kind, member } = change;
  if (change.action === 'updated') {
    const { action, id, before, written } = change;
    await writes.write({ kind, action, id, member, before, written }, async () => {
      await site.patchSubject(id, written);
      return null;
    });
    return 'done';
  }
  const { action, written } = change;
  const id = await writes.write(
    { kind, action, id: '', member, written },
    async () => (await site.createSubject(written)).id,
  );
  if (id !== null) subjects.set(change.member, id);
  return 'done';
};

/**
 * A token that may not see what it creates would create everybody again next time (site contract, 6).
 * @throws RelayError `subject_not_visible`
 */
export const checkVisible = async ({ site, subjects }: StepParts, { member }: { member: string }): Promise<void> => {
  const id = subjects.get(member);
  if (id === undefined) return;
  const found = await site.subjectsById([id]);
  if (!found.some((subject) => subject.id === id)) throw new RelayError('subject_not_visible', { details: { id } });
};
