import { isRelayError } from '@ranger-relay/errors';
import { planOutdated } from '../../apply/name.ts';
import { typeChange } from '../../plan/types.ts';
import { sameMembers } from '../replacement.ts';
import type { ChangeOf, Done, StepParts } from './parts.ts';
import { writeUpdate } from './update.ts';

const update = (parts: StepParts, change: ChangeOf<'patrol_type'> & { action: 'updated' }): Promise<Done> => {
  const { kind, action, value, id } = change;
  return writeUpdate(parts, change, {
    read: async () => (await parts.fresh.types()).find((type) => type.id === id),
    patch: (present, changes) => parts.site.patchPatrolType(present, changes),
    recorded: (due) => ({ kind, action, value, id, ...due }),
  });
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
    if (sameMembers(present, written)) return 'already';
    if (parts.course.approved) throw planOutdated([change]);
    const { display, is_active: isActive } = written;
    const needed = typeChange(present, { value, display, isActive });
    return needed ? update(parts, needed) : 'already';
  }
};
