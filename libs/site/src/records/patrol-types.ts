import { z } from 'zod';
import type { NewPatrolType, PatrolType, Site } from '../port.ts';
import { create, type Creation } from '../wire/create.ts';
import { isObject } from '../wire/envelope.ts';
import { readAll } from '../wire/pages.ts';
import { activeFlag, idText, looseText, read } from '../wire/read.ts';
import type { Reply } from '../wire/reply.ts';
import type { SiteRequest } from '../wire/request.ts';
import { write } from '../wire/send.ts';
import type { Wire } from '../wire/wire.ts';
import { isTypeUsed } from './type-usage.ts';

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

/** Sites know a type by its value, by its id, or by both: the value first, on 404 the id. */
const writeByKey = async (wire: Wire, { id, value }: Key, request: Omit<SiteRequest, 'path'>): Promise<void> => {
  const deletes = request.method === 'DELETE';
  const byValue = await write(wire, { ...request, path: `${path}${encodeURIComponent(value)}/` }, [404]);
  if (byValue.ok) return;
  const byId = await write(wire, { ...request, path: `${path}${encodeURIComponent(id)}/` }, [404]);
  // What is gone after a deletion whose answer was lost has been deleted by it.
  if (!byId.ok && !(deletes && (byValue.repeated || byId.repeated))) throw byId.refusal();
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
): Pick<Site, 'patrolTypes' | 'createPatrolType' | 'patchPatrolType' | 'deletePatrolType' | 'isPatrolTypeUsed'> => ({
  patrolTypes: () => list(wire),
  createPatrolType: (type) => create(wire, creationOf(wire, type)),
  patchPatrolType: (type, changes) => writeByKey(wire, type, { method: 'PATCH', json: changes }),
  deletePatrolType: (type) => writeByKey(wire, type, { method: 'DELETE' }),
  isPatrolTypeUsed: (type) => isTypeUsed(wire, type.id),
});
