import type { Mandate } from '../model.ts';
import { ownUuid, type RecordContext } from './context.ts';
import { flagOf, keyOf, type Part } from './members.ts';
import { namesOf } from './names.ts';

/** Reads a record of `mandates` (bundle contract, 2). */
export const readMandate = (part: Part, context: RecordContext): Mandate => ({
  uuid: ownUuid(part, context),
  key: keyOf(part, 'key', context.at),
  isActive: flagOf(part, 'is_active', context.at),
  names: namesOf(part, context),
});
