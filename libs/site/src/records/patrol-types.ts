import { z } from 'zod';
import type { Changes, NewPatrolType, PatrolType, Site, SiteUser } from '../port.ts';
import { create, type Creation } from '../wire/create.ts';
import { isObject } from '../wire/envelope.ts';
import { readAll } from '../wire/pages.ts';
import { activeFlag, idText, looseText, read } from '../wire/read.ts';
import type { Reply } from '../wire/reply.ts';
import { write } from '../wire/send.ts';
import { update } from '../wire/update.ts';
import type { Wire } from '../wire/wire.ts';
import { typeUse } from './type-usage.ts';

const path = 'activity/patrols/types/';

const typeSchema = z.object({ id: idText, value: z.string(), display: looseText, is_active: activeFlag });

type Key = Pick<PatrolType, 'id' | 'value'>;

const list = async (wire: Wire): Promise<readonly PatrolType[]> => {
  const { rows, target } = await readAll(wire, { path, query: {} });
  return read(z.array(typeSchema), rows, target);
};

/** A value that is taken is refused with 400 and a sentence about the value. */
const isTaken = (reply: Reply): boolean => {
  if (reply.status !== 400) return false;
  try {
    const payload = reply.payload();
    return isObject(payload) && /already exists/i.test(JSON.stringify(payload['value'] ?? ''));
  } catch {
    return false;
  }
};

/** Sites know a type by its value, by its id, or by both: the value first, where that is not found the id. */
const pathsOf = ({ id, value }: Key): readonly [byValue: string, byId: string] => [
  `${path}${encodeURIComponent(value)}/`,
  `${path}${encodeURIComponent(id)}/`,
];

const patch = async (wire: Wire, present: PatrolType, changes: Changes<PatrolType>): Promise<void> => {
  const [byValue, byId] = pathsOf(present);
  const look = async (): Promise<PatrolType | undefined> => (await list(wire)).find(({ id }) => id === present.id);
  const at = (where: string) =>
    ({ request: { method: 'PATCH', path: where, json: changes }, present, changes, look }) as const;
  if (await update(wire, at(byValue), [404])) await update(wire, at(byId));
};

const remove = async (wire: Wire, type: Key): Promise<void> => {
  const [byValue, byId] = pathsOf(type);
  const first = await write(wire, { method: 'DELETE', path: byValue }, [404]);
  if (first.ok) return;
  const second = await write(wire, { method: 'DELETE', path: byId }, [404]);
  // What is gone after a deletion whose answer was lost has been deleted by it.
  if (!second.ok && !first.repeated && !second.repeated) throw second.refusal();
};

const creationOf = (wire: Wire, { value, display, is_active }: NewPatrolType): Creation<PatrolType> => {
  const json = { value, display, is_active };
  return {
    request: { method: 'POST', path, json },
    read: (payload) => (isObject(payload) ? typeSchema.safeParse({ ...json, ...payload }).data : undefined),
    find: async () => (await list(wire)).find((type) => type.value === value),
    exists: isTaken,
  };
};

/** Patrol types (site contract, 3). */
export const patrolTypeCalls = (
  wire: Wire,
  user: () => Promise<SiteUser>,
): Pick<Site, 'patrolTypes' | 'createPatrolType' | 'patchPatrolType' | 'deletePatrolType' | 'patrolTypeUse'> => ({
  patrolTypes: () => list(wire),
  createPatrolType: async (type) => (await create(wire, creationOf(wire, type))).record,
  patchPatrolType: (present, changes) => patch(wire, present, changes),
  deletePatrolType: (type) => remove(wire, type),
  patrolTypeUse: (type) => typeUse(wire, type.id, user),
});
