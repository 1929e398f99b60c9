import { isRelayError } from '@ranger-relay/errors';
import { choiceChange, choiceKey } from '../../plan/choices.ts';
import type { ChangeOf, Done, StepParts } from './parts.ts';

const update = async (
  { site, writes }: StepParts,
  change: ChangeOf<'choice'> & { action: 'updated' },
): Promise<Done> => {
  await writes.write(change, async () => {
    await site.patchChoice(change.id, change.written);
    return null;
  });
  return 'done';
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
    const needed = choiceChange(present, { display: written.display, isActive: written.is_active });
    if (needed?.kind !== 'choice' || needed.action !== 'updated') return 'already';
    return update(parts, needed);
  }
};
