import type { Station } from '../model.ts';
import { ownUuid, type RecordContext } from './context.ts';
import { flagOf, type Part } from './members.ts';
import { namesOf } from './names.ts';

/** Reads a record of `stations` (bundle contract, 2). */
export const readStation = (part: Part, context: RecordContext): Station => ({
  uuid: ownUuid(part, context),
  isActive: flagOf(part, 'is_active', context.at),
  names: namesOf(part, context),
});
