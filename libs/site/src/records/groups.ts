import { isObject, isRelayError, RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import type { Site, SubjectGroup } from '../port.ts';
import { notForbidden, unreadable } from '../client/failure.ts';
import { activeFlag, idText, looseText, read, readAll, type Rows } from './list.ts';
import { type Reply, send, type SiteClient, type SiteRequest, write } from '../client/client.ts';
import { plainId } from './identity.ts';
import { chunksOf } from './ids.ts';

/** Names of the member groups in the configuration, in lookup order. */
const keys = ['member_groups', 'members_groups', 'subject_groups', 'members'] as const;

const uuid = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

const withIdSchema = z.object({ id: idText, name: z.string().nullish() });
const namedSchema = z.object({ name: z.string().min(1) });

/** The group that a list item refers to: its identity, or only its name. A subject is not a group. */
type Mention = SubjectGroup | { readonly id: null; readonly name: string };

const mentionOf = (item: unknown): Mention | undefined => {
  if (typeof item === 'string') return uuid.test(item) ? { id: item, name: item } : undefined;
  if (!isObject(item) || Object.hasOwn(item, 'subject_subtype')) return undefined;
  const { data } = withIdSchema.safeParse(item);
  if (data) return { id: data.id, name: data.name || data.id };
  const named = namedSchema.safeParse(item).data;
  return named && { id: null, name: named.name };
};

/** Reads the patrol configuration; undefined when the site has none. @throws RelayError `site_forbidden` and what {@link send} throws */
const readConfiguration = async (client: SiteClient, part: '' | 'resolved/' = '') => {
  const reply = await send(client, { method: 'GET', path: `activity/patrols/config/default/${part}` }, [404]);
  if (!reply.ok) return undefined;
  const payload = reply.payload() ?? {};
  if (!isObject(payload)) throw unreadable(reply.target, 'not a configuration');
  return { payload, target: reply.target };
};

/** The items of a configuration that may be member groups. */
const groupItems = (payload: Readonly<Record<string, unknown>>): readonly unknown[] =>
  keys.flatMap((key) => (Array.isArray(payload[key]) ? (payload[key] as unknown[]) : []));

/**
 * The first member group of the patrol configuration: the first usable item, in the order of the array. A group given only by its id uses
 * the id as its name. Null when there is no usable item, or no configuration (site contract, 7).
 * @throws RelayError `site_forbidden` and what {@link send} throws
 */
const firstMemberGroup = async (
  client: SiteClient,
  byName: (name: string) => Promise<SubjectGroup | null>,
): Promise<SubjectGroup | null> => {
  const { payload = {} } = (await readConfiguration(client)) ?? {};
  for (const item of groupItems(payload)) {
    const mention = mentionOf(item);
    const group = mention && (mention.id === null ? await byName(mention.name) : mention);
    if (group) return group;
  }
  return null;
};

const teamSchema = z.object({ value: looseText, display: z.string(), is_active: activeFlag });

/** Reads a list of the configuration; null when the site does not show it. */
const listIn = async <T>(client: SiteClient, part: '' | 'resolved/', name: string, schema: z.ZodType<T>) => {
  const found = await readConfiguration(client, part);
  return found?.payload[name] === undefined ? null : read(z.array(schema), found.payload[name], found.target);
};

const groupSchema = z.object({ id: idText, name: z.string() });

/** Flattens a list of groups with all nested groups, outer groups first. */
const withNested = (rows: readonly unknown[]): unknown[] => {
  const all: unknown[] = [...rows];
  for (const row of all)
    if (isObject(row) && Array.isArray(row['subgroups'])) all.push(...(row['subgroups'] as unknown[]));
  return all;
};

/** All groups that the token may see, nested and hidden ones too. */
const listGroups = async (client: SiteClient): Promise<Rows> => {
  const query = { flat: 'true', include_hidden: 'true', include_inactive: 'true' };
  const { rows, target } = await readAll(client, { path: 'subjectgroups/', query });
  return { rows: withNested(rows), target };
};

const folded = (name: string): string => name.normalize('NFC').trim().toLowerCase();

/**
 * The group of this name. The site ignores case and surrounding spaces in names; if several groups differ only in these, the name must be
 * exact. @throws RelayError `roster_group_ambiguous`
 */
const byName = async (client: SiteClient, name: string): Promise<SubjectGroup | null> => {
  const { rows, target } = await listGroups(client);
  const isNamed = (row: unknown): boolean =>
    isObject(row) && typeof row['name'] === 'string' && folded(row['name']) === folded(name);
  const alike = read(z.array(groupSchema), rows.filter(isNamed), target);
  const exact = alike.filter((group) => group.name === name);
  const [found, other] = exact.length > 0 ? exact : alike;
  if (other) throw new RelayError('roster_group_ambiguous', { details: { group: name, count: alike.length } });
  return found ?? null;
};

/**
 * Completes a group known only by its id with its name in the list of groups; if the list cannot be read, the group keeps its id as the
 * name.
 */
const withName = async (client: SiteClient, group: SubjectGroup | null): Promise<SubjectGroup | null> => {
  if (group === null || group.name !== group.id) return group;
  try {
    const { rows } = await listGroups(client);
    const known = rows.flatMap((row) => groupSchema.safeParse(row).data ?? []);
    return known.find(({ id }) => plainId(id) === plainId(group.id)) ?? group;
  } catch (error) {
    if (isRelayError(error, 'site_forbidden', 'site_not_found', 'site_refused', 'site_answer_unreadable')) return group;
    throw error;
  }
};

/**
 * All member groups of the patrol configuration, with the groups nested in them. A group that the list of groups does not show is known by
 * the configuration alone.
 */
const memberGroups = async (client: SiteClient): Promise<readonly SubjectGroup[] | null> => {
  const found = await readConfiguration(client);
  if (found === undefined) return null;
  const mentions = groupItems(found.payload).flatMap((item) => mentionOf(item) ?? []);
  const { rows } = await listGroups(client);
  const isMentioned = (row: unknown): boolean => {
    const known = groupSchema.safeParse(row).data;
    return mentions.some(({ id, name }) =>
      id === null ? name === known?.name : plainId(id) === plainId(known?.id ?? ''),
    );
  };
  const nested = withNested(rows.filter(isMentioned)).flatMap((row) => groupSchema.safeParse(row).data ?? []);
  const groups = [...mentions.flatMap((group) => (group.id === null ? [] : [group])), ...nested];
  return [...new Map(groups.map((group) => [plainId(group.id), group])).values()];
};

const memberSchema = z.union([z.object({ id: idText }), idText.transform((id) => ({ id }))]);

const membersPath = (groupId: string): string => `subjectgroup/${encodeURIComponent(groupId)}/subjects/`;

/** The error of a group whose members cannot be read: where the site lists the group, it lacks the call. */
const withoutMembers = async (client: SiteClient, groupId: string, error: RelayError): Promise<RelayError> => {
  const { rows } = await listGroups(client).catch(() => ({ rows: [] }));
  const isListed = rows.some((row) => plainId(groupSchema.safeParse(row).data?.id ?? '') === plainId(groupId));
  return isListed ? new RelayError('site_too_old', { details: error.details, cause: error }) : error;
};

const members = async (client: SiteClient, groupId: string): Promise<readonly string[]> => {
  try {
    const { rows } = await readAll(client, { path: membersPath(groupId), query: { page_size: '4000' } });
    // A row without an id is no member that the sync knows.
    return [...new Set(rows.flatMap((row) => memberSchema.safeParse(row).data?.id ?? []))];
  } catch (error) {
    throw isRelayError(error, 'site_not_found') ? await withoutMembers(client, groupId, error) : error;
  }
};

/** Adding and removing members are idempotent, so both are retried like a PUT. */
const change = (
  client: SiteClient,
  method: SiteRequest['method'],
  groupId: string,
  ids: readonly string[],
): Promise<Reply> => write(client, { method, path: membersPath(groupId), json: ids.map((id) => ({ id })) }, [400]);

const remove = async (client: SiteClient, groupId: string, ids: readonly string[]): Promise<void> => {
  const reply = await change(client, 'DELETE', groupId, ids);
  if (reply.ok) return;
  if (!reply.repeated) throw reply.refusal();
  // An earlier attempt whose response was lost may have removed the member.
  const left = new Set((await members(client, groupId)).map(plainId));
  if (ids.some((id) => left.has(plainId(id)))) throw reply.refusal();
};

/** Subject groups and their members (site contract, 7). */
export const groupCalls = (client: SiteClient) =>
  ({
    groupByName: (name) => byName(client, name),
    firstMemberGroup: async () => withName(client, await firstMemberGroup(client, (name) => byName(client, name))),
    memberGroups: () => memberGroups(client),
    teams: () => listIn(client, '', 'teams', teamSchema),
    async patrolMembers() {
      const rows = await listIn(client, 'resolved/', 'members', z.object({ id: idText }));
      return rows && rows.map(({ id }) => id);
    },
    groupMembers: (groupId) => members(client, groupId),
    async addToGroup(groupId, subjectIds) {
      for (const ids of chunksOf(subjectIds)) {
        const reply = await change(client, 'POST', groupId, ids);
        if (!reply.ok) throw reply.refusal();
        notForbidden(reply.target, reply.payload());
      }
    },
    async removeFromGroup(groupId, subjectIds) {
      for (const ids of chunksOf(subjectIds)) await remove(client, groupId, ids);
    },
  }) satisfies Partial<Site>;
