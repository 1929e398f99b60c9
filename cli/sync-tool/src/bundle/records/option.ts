import type { AttributeOption } from '../model.ts';
import { takeUuid, type RecordContext } from './context.ts';
import { flagOf, integerOf, keyOf, textOf, uuidOf, uuidOrNull, type Part } from './members.ts';
import { namesOf } from './names.ts';

/** Reads one option of a LIST, or one node of a TREE (bundle contract, 2). */
export const readOption = (part: Part, isTree: boolean, context: RecordContext): AttributeOption => {
  const { at, innerUuids } = context;
  const uuid = uuidOf(part, 'uuid', at);
  takeUuid(uuid, part.where, innerUuids, at);
  return {
    uuid,
    key: keyOf(part, 'key', at),
    order: integerOf(part, 'order', at),
    path: isTree ? textOf(part, 'path', at) || null : null,
    parentUuid: isTree ? uuidOrNull(part, 'parent_uuid', at) : null,
    isActive: flagOf(part, 'is_active', at),
    names: namesOf(part, context),
  };
};
