import { isRelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import type { Site, SubjectGroup } from '../port.ts';
import { isObject } from '../wire/envelope.ts';
import { readAll } from '../wire/pages.ts';
import { idText, read } from '../wire/read.ts';
import type { SiteRequest } from '../wire/request.ts';
import { write, type Sent } from '../wire/send.ts';
import type { Wire } from '../wire/wire.ts';
import { firstMemberGroup } from './group-config.ts';
import { chunksOf, plainId } from './ids.ts';

const groupSchema = z.object({ id: idText, name: z.string() });

/** Groups of a list with all that lie inside of them, the outer ones first. */
const withNested = (rows: readonly unknown[]): unknown[] => {
  const all: unknown[] = [...rows];
  for (const row of all)
    if (isObject(row) && Array.isArray(row['subgroups'])) all.push(...(row['subgroups'] as unknown[]));
  return all;
};

const byName = async (wire: Wire, name: string): Promise<SubjectGroup | null> => {
  const query = { flat: 'true', include_hidden: 'true', include_inactive: 'true', group_name: name };
  const { rows, target } = await readAll(wire, { path: 'subjectgroups/', query });
  const found = withNested(rows).find((row) => isObject(row) && row['name'] === name);
  return found === undefined ? null : read(groupSchema, found, target);
};

/** A group that is known by its id alone, with the name that the list of groups has for it; where the list cannot be read it keeps its id. */
const withName = async (wire: Wire, group: SubjectGroup | null): Promise<SubjectGroup | null> => {
  if (group === null || group.name !== group.id) return group;
  try {
    const { rows } = await readAll(wire, { path: 'subjectgroups/', query: { flat: 'true', include_hidden: 'true' } });
    const known = withNested(rows).flatMap((row) => groupSchema.safeParse(row).data ?? []);
    return known.find(({ id }) => plainId(id) === plainId(group.id)) ?? group;
  } catch (error) {
    if (isRelayError(error, 'site_forbidden', 'site_not_found', 'site_refused', 'site_answer_unreadable')) return group;
    throw error;
  }
};

const memberSchema = z.union([z.object({ id: idText }), idText.transform((id) => ({ id }))]);

const membersPath = (groupId: string): string => `subjectgroup/${encodeURIComponent(groupId)}/subjects/`;

const members = async (wire: Wire, groupId: string): Promise<readonly string[]> => {
  const { rows, target } = await readAll(wire, { path: membersPath(groupId), query: { page_size: '1000' } });
  return [...new Set(read(z.array(memberSchema), rows, target).map(({ id }) => id))];
};

/** Adding and removing come to the same when they are carried out twice, so both are repeated like a PUT. */
const change = (wire: Wire, method: SiteRequest['method'], groupId: string, ids: readonly string[]): Promise<Sent> =>
  write(wire, { method, path: membersPath(groupId), json: ids.map((id) => ({ id })) }, [400]);

const remove = async (wire: Wire, groupId: string, ids: readonly string[]): Promise<void> => {
  const reply = await change(wire, 'DELETE', groupId, ids);
  if (reply.ok) return;
  if (!reply.repeated) throw reply.refusal();
  // The removal may have been carried out by the try whose answer was lost.
  const left = new Set((await members(wire, groupId)).map(plainId));
  if (ids.some((id) => left.has(plainId(id)))) throw reply.refusal();
};

/** Subject groups and their members (site contract, 7). */
export const groupCalls = (
  wire: Wire,
): Pick<Site, 'groupByName' | 'firstMemberGroup' | 'groupMembers' | 'addToGroup' | 'removeFromGroup'> => ({
  groupByName: (name) => byName(wire, name),
  firstMemberGroup: async () => withName(wire, await firstMemberGroup(wire, (name) => byName(wire, name))),
  groupMembers: (groupId) => members(wire, groupId),
  async addToGroup(groupId, subjectIds) {
    for (const ids of chunksOf(subjectIds)) {
      const reply = await change(wire, 'POST', groupId, ids);
      if (!reply.ok) throw reply.refusal();
    }
  },
  async removeFromGroup(groupId, subjectIds) {
    for (const ids of chunksOf(subjectIds)) await remove(wire, groupId, ids);
  },
});
