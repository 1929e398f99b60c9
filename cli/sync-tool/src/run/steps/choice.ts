import { isRelayError } from '@ranger-relay/errors';
import { planOutdated } from '../../apply/name.ts';
import { choiceChange, choiceKey } from '../../plan/choices.ts';
import { sameMembers } from '../replacement.ts';
import type { ChangeOf, Done, StepParts } from './parts.ts';
import { writeUpdate } from './update.ts';

const update = (parts: StepParts, change: ChangeOf<'choice'> & { action: 'updated' }): Promise<Done> => {
  const { kind, action, id, field, value } = change;
  return writeUpdate(parts, change, {
    read: async () => (await parts.fresh.choices(field)).find((choice) => choice.id === id),
    patch: (present, changes) => parts.site.patchChoice(present, changes),
    recorded: (due) => ({ kind, action, id, field, value, ...due }),
  });
};

/** Writes one option. One that appeared meanwhile is updated like any other. */
export const writeChoice = async (parts: StepParts, change: ChangeOf<'choice'>): Promise<Done> => {
  if (change.action === 'updated') return update(parts, change);
  const { kind, action, field, value, written } = change;
  try {
    await parts.writes.write(
      { kind, action, id: null, field, value, written },
      async () => (await parts.site.createChoice({ field, value, ...written }))?.id ?? null,
    );
    return 'done';
  } catch (error) {
    if (!isRelayError(error, 'site_conflict')) throw error;
    const key = choiceKey(field, value);
    const present = (await parts.site.choices(field)).find((choice) => choiceKey(field, choice.value) === key);
    if (!present) throw error;
    const { display, is_active } = written;
    if (sameMembers(present, { display, is_active })) return 'already';
    if (parts.course.approved) throw planOutdated([change]);
    const needed = choiceChange(present, { display, isActive: is_active });
    return needed ? update(parts, needed) : 'already';
  }
};
