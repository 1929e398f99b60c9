import type { Team } from '../model.ts';
import { ownUuid, type RecordContext } from './context.ts';
import { flagOf, keyOf, uuidOrNull, type Part } from './members.ts';
import { namesOf } from './names.ts';

/** Reads a record of `teams`; which mandate it has is checked and not used (bundle contract, 2). */
export const readTeam = (part: Part, context: RecordContext): Team => {
  uuidOrNull(part, 'mandate_uuid', context.at);
  return {
    uuid: ownUuid(part, context),
    key: keyOf(part, 'key', context.at),
    isActive: flagOf(part, 'is_active', context.at),
    names: namesOf(part, context),
  };
};
