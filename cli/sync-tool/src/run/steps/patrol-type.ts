import { isRelayError } from '@ranger-relay/errors';
import { typeChange } from '../../plan/types.ts';
import type { ChangeOf, Done, StepParts } from './parts.ts';

const update = async (
  { site, writes }: StepParts,
  change: ChangeOf<'patrol_type'> & { action: 'updated' },
): Promise<Done> => {
  const { kind, action, value, id, before, written } = change;
  await writes.write({ kind, action, value, id, before, written }, async () => {
    await site.patchPatrolType({ id, value }, written);
    return null;
  });
  return 'done';
};

/** Writes one patrol type. One that appeared meanwhile is updated like any other. */
export const writePatrolType = async (parts: StepParts, change: ChangeOf<'patrol_type'>): Promise<Done> => {
  if (change.action === 'updated') return update(parts, change);
  const { kind, action, value, written } = change;
  try {
    await parts.writes.write(
      { kind, action, value, id: '', written },
      async () => (await parts.site.createPatrolType(written)).id,
    );
    return 'done';
  } catch (error) {
    if (!isRelayError(error, 'site_conflict')) throw error;
    const present = (await parts.site.patrolTypes()).find((type) => type.value === value);
    if (!present) throw error;
    const { display, is_active: isActive } = written;
    const needed = typeChange(present, { value, display, isActive });
    if (needed?.kind !== 'patrol_type' || needed.action !== 'updated') return 'already';
    return update(parts, needed);
  }
};
