import { isObject, isRelayError, RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import type { Changes, NewPatrolType, OnUnreadable, PatrolType, PatrolTypeUse, Site, SiteUser } from '../port.ts';
import { create, type Creation } from './create.ts';
import { activeFlag, idText, looseText, read, readAll, readRows } from './list.ts';
import { update } from './update.ts';
import { type Reply, send, type SiteClient, write } from '../client/client.ts';

const nothing = z.union([
  z.array(z.unknown()).length(0),
  z.object({ count: z.literal(0), results: z.array(z.unknown()).length(0) }),
]);

/** Only a count of 0 proves that there are no patrols. Rows of other types, from a site that ignores the filter, do not. */
const isEmpty = async (client: SiteClient, id: string): Promise<boolean> => {
  const query = { filter: JSON.stringify({ patrol_type: [id] }), page_size: '1' };
  const reply = await send(client, { method: 'GET', path: 'activity/patrols/', query });
  return nothing.safeParse(reply.payload()).success;
};

/**
 * Whether patrols of a type exist (site contract, 3). The site shows no patrols to a token that may not view all of them, so its count
 * proves nothing.
 * @throws RelayError `site_unauthorized`, because every further call would fail too
 */
const typeUse = async (client: SiteClient, id: string, user: () => Promise<SiteUser>): Promise<PatrolTypeUse> => {
  try {
    if (!(await isEmpty(client, id))) return 'used';
    return (await user()).seesPatrols ? 'unused' : 'unknown';
  } catch (error) {
    if (isRelayError(error) && error.code !== 'site_unauthorized') return 'unknown';
    throw error;
  }
};

const path = 'activity/patrols/types/';

const typeSchema = z.object({
  id: idText,
  value: z.string(),
  display: looseText,
  is_active: activeFlag,
  icon: z.string().nullish().catch(undefined),
  ordernum: z.number().nullish().catch(undefined),
  default_priority: z.number().nullish().catch(undefined),
});

type Key = Pick<PatrolType, 'id' | 'value'>;

/** Sites hide inactive types, in the list and by themselves, unless asked for them. */
const query = { include_inactive: 'true' };

const list = async (client: SiteClient, onUnreadable?: OnUnreadable): Promise<readonly PatrolType[]> =>
  readRows(typeSchema, await readAll(client, { path, query }), 'patrol type', onUnreadable);

/**
 * Checks that the site has a method that creates types; sites that are too old only list them. A site that says nothing passes.
 * @throws RelayError `site_too_old`
 */
const checkWritable = async (client: SiteClient): Promise<void> => {
  const { ok, allow, target } = await send(client, { method: 'OPTIONS', path }, [400, 403, 404, 405, 500, 501]);
  if (ok && allow !== undefined && !/\bPOST\b/.test(allow))
    throw new RelayError('site_too_old', { details: { target } });
};

/** The site refuses a value in use with 400 and a message about the value. */
const isTaken = (reply: Reply): boolean => {
  if (reply.status !== 400) return false;
  try {
    const payload = reply.payload();
    return isObject(payload) && /already exists/i.test(JSON.stringify(payload['value'] ?? ''));
  } catch {
    return false;
  }
};

/** Sites identify a type by its value, by its id, or by both: tries the value first, then the id. */
const pathsOf = ({ id, value }: Key): readonly [byValue: string, byId: string] => [
  `${path}${encodeURIComponent(value)}/`,
  `${path}${encodeURIComponent(id)}/`,
];

/** Reads one type by its value; a site that does not know the value as an address may still list the type. */
const find = async (client: SiteClient, value: string): Promise<PatrolType | undefined> => {
  const reply = await send(client, { method: 'GET', path: `${path}${encodeURIComponent(value)}/`, query }, [404, 405]);
  if (reply.ok) return read(typeSchema, reply.payload(), reply.target);
  return (await list(client)).find((type) => type.value === value);
};

const patch = async (
  client: SiteClient,
  present: PatrolType,
  changes: Changes<PatrolType>,
  readAt?: number,
): Promise<void> => {
  const [byValue, byId] = pathsOf(present);
  const look = async (): Promise<PatrolType | undefined> => {
    const found = await find(client, present.value);
    return found?.id === present.id ? found : undefined;
  };
  const at = (where: string) =>
    ({ request: { method: 'PATCH', path: where, json: changes }, present, changes, readAt, look }) as const;
  if (await update(client, at(byValue), [404])) await update(client, at(byId));
};

const remove = async (client: SiteClient, type: Key): Promise<void> => {
  const [byValue, byId] = pathsOf(type);
  const first = await write(client, { method: 'DELETE', path: byValue }, [404]);
  if (first.ok) return;
  const second = await write(client, { method: 'DELETE', path: byId }, [404]);
  // If the type is missing after a lost response, the earlier attempt has deleted it.
  if (!second.ok && !first.repeated && !second.repeated) throw second.refusal();
};

const creationOf = (client: SiteClient, { value, display, is_active }: NewPatrolType): Creation<PatrolType> => {
  const json = { value, display, is_active };
  return {
    request: { method: 'POST', path, json },
    read: (payload) => (isObject(payload) ? typeSchema.safeParse({ ...json, ...payload }).data : undefined),
    find: () => find(client, value),
    exists: isTaken,
  };
};

/** Patrol types (site contract, 3). */
export const patrolTypeCalls = (client: SiteClient, user: () => Promise<SiteUser>) =>
  ({
    patrolTypes: (onUnreadable) => list(client, onUnreadable),
    patrolType: (value) => find(client, value),
    checkPatrolTypesWritable: () => checkWritable(client),
    createPatrolType: async (type) => (await create(client, creationOf(client, type))).record,
    patchPatrolType: (present, changes, readAt) => patch(client, present, changes, readAt),
    deletePatrolType: (type) => remove(client, type),
    patrolTypeUse: (type) => typeUse(client, type.id, user),
  }) satisfies Partial<Site>;
