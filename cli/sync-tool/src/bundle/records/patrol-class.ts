import type { PatrolClass } from '../model.ts';
import { ownUuid, type RecordContext } from './context.ts';
import { flagOf, textOf, type Part } from './members.ts';
import { namesOf } from './names.ts';

/** Reads a record of `patrol_classes`; its uuid is optional and not used (bundle contract, 2). */
export const readPatrolClass = (part: Part, context: RecordContext): PatrolClass => {
  const { uuid } = part.members;
  if (uuid !== undefined && uuid !== null) ownUuid(part, context);
  return {
    key: textOf(part, 'key', context.at) || null,
    isActive: flagOf(part, 'is_active', context.at),
    names: namesOf(part, context),
  };
};
