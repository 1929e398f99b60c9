import type { Transport } from '../model.ts';
import { ownUuid, type RecordContext } from './context.ts';
import { flagOf, keyOf, textOrNull, type Part } from './members.ts';
import { namesOf } from './names.ts';

/** Reads a record of `transports` (bundle contract, 2). */
export const readTransport = (part: Part, context: RecordContext): Transport => ({
  uuid: ownUuid(part, context),
  key: keyOf(part, 'key', context.at),
  classKey: textOrNull(part, 'class_key', context.at),
  requiresPilot: flagOf(part, 'requires_pilot', context.at),
  iconKey: textOrNull(part, 'icon_key', context.at),
  isActive: flagOf(part, 'is_active', context.at),
  names: namesOf(part, context),
});
