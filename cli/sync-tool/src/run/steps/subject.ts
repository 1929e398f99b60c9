import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { ChangeOf, Done, StepParts } from './parts.ts';
import { writeUpdate } from './update.ts';

/** What a refusal says of all subjects alike: the next one would meet it too (site contract, 6). */
const refusalOfAll = (error: unknown, subtype: string): unknown => {
  if (!isRelayError(error, 'site_refused')) return error;
  const reason = String(error.details['reason']);
  if (error.details['status'] === 400 && /does not exist/i.test(reason))
    return new RelayError('subject_subtype_unknown', { details: { subtype }, cause: error });
  if (error.details['status'] === 500 && /subject ?group/i.test(reason))
    return new RelayError('default_group_missing', { details: { reason }, cause: error });
  return error;
};

const update = (parts: StepParts, change: ChangeOf<'subject'> & { action: 'updated' }): Promise<Done> => {
  const { kind, action, id, member } = change;
  const reason = change.reason === 'duplicate' ? { reason: change.reason } : {};
  return writeUpdate(parts, change, {
    read: () => parts.fresh.subject(id),
    patch: (present, changes) => parts.site.patchSubject(present, changes),
    recorded: (due) => ({ kind, action, id, member, ...due, ...reason }),
  });
};

/** Writes one subject, and remembers who it stands for. */
export const writeSubject = async (parts: StepParts, change: ChangeOf<'subject'>): Promise<Done> => {
  if (change.action === 'updated') return update(parts, change);
  const { site, writes, subjects, maybeTwice } = parts;
  const { kind, action, member, written } = change;
  const send = async (): Promise<string> => {
    const created = await site.createSubject(written);
    if (created.maybeTwice) maybeTwice.add(member);
    return created.record.id;
  };
  const id = await writes.write({ kind, action, id: '', member, written }, send).catch((error: unknown) => {
    throw refusalOfAll(error, written.subject_subtype);
  });
  if (id !== null) subjects.set(member, id);
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
