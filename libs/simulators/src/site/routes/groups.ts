import type { Body } from '../../json.ts';
import type { SimulatedResponse } from '../../http/answer.ts';
import { failed, ok, refused, refusedItems } from '../answers/envelope.ts';
import { itemProblems, type Problems } from '../answers/fields.ts';
import { groupsUnder, permissions, visibleGroups } from '../permissions.ts';
import type { Group } from '../state/records.ts';
import type { SiteSwitches } from '../switches.ts';
import { wholeList } from '../answers/paging.ts';
import { asks, type Call, pageOf, type Route, type Run } from './call.ts';
import { showSubject } from './subjects.ts';

const nameMatcher = ({ switches, query }: Call): ((group: Group) => boolean) => {
  const wanted = switches.group_name_filter === 'ignored' ? null : query.get('group_name');
  if (wanted === null) return () => true;
  if (switches.group_name_filter === 'exact') return ({ name }) => name === wanted;
  return ({ name }) => name.toLowerCase().includes(wanted.toLowerCase());
};

const inTree = (call: Call, group: Group, matches: (group: Group) => boolean): boolean =>
  matches(group) || groupsUnder(call.store, group.id).some((child) => inTree(call, child, matches));

/** Uppermost groups that match or hold one that does; groups whose parent is not listed count as uppermost. */
const roots = (call: Call, listed: readonly Group[], matches: (group: Group) => boolean): Group[] => {
  const ids = new Set(listed.map(({ id }) => id));
  return listed.filter((group) => (group.parent === null || !ids.has(group.parent)) && inTree(call, group, matches));
};

/**
 * Groups that the token may view, `{id, name, subjects, subgroups}` (site contract, section 7): every one by itself with `flat=true`, else
 * as trees. Hidden groups and inactive members come only when asked for; `group_name` may match more than the name.
 */
const listGroups: Run = (call) => {
  const { store, token, switches } = call;
  const visible = visibleGroups(store, token);
  const hiddenToo = asks(call, 'include_hidden');
  const inactiveToo = asks(call, 'include_inactive');
  const listed = [...store.groups.values()].filter(({ id, hidden }) => visible.has(id) && (hiddenToo || !hidden));
  const flat = switches.groups_flat === 'honoured' && asks(call, 'flat');
  const matches = nameMatcher(call);

  const show = (group: Group): object => ({
    id: group.id,
    name: group.name,
    is_visible: !group.hidden,
    subjects: [...store.members(group.id)]
      .flatMap((id) => store.subjects.get(id) ?? [])
      .filter(({ is_active }) => inactiveToo || is_active)
      .map(showSubject),
    subgroups: flat ? [] : listed.filter(({ parent }) => parent === group.id).map(show),
  });
  return wholeList((flat ? listed.filter(matches) : roots(call, listed, matches)).map(show), switches);
};

const members = ({ store, key }: Call) => [...store.members(key)].flatMap((id) => store.subjects.get(id) ?? []);

/** 404 for no such group, 403 for one that the token may not view. */
const groupRefusal = ({ store, token, key }: Call): SimulatedResponse | undefined => {
  if (!store.groups.has(key)) return failed(404);
  return visibleGroups(store, token).has(key) ? undefined : failed(403, 'The group may not be viewed.');
};

const list: Run = (call) =>
  groupRefusal(call) ??
  (call.query.has('page_size') ? pageOf(call, members(call), showSubject) : ok(members(call).map(showSubject)));

const problemsOf = (item: Body): Problems => {
  if (!Object.hasOwn(item, 'id')) return { id: ['This field is required.'] };
  const { id } = item;
  return typeof id === 'string' && /^[0-9a-f-]{32,36}$/i.test(id) ? {} : { id: ['Must be a valid UUID.'] };
};

/** The ids of a body `[{"id":"<uuid>"}]`, or why they are refused. */
const idsOf = ({ store, body }: Call): readonly string[] | SimulatedResponse => {
  if (!Array.isArray(body)) return refused({ non_field_errors: ['Expected a list of items.'] });
  const problems = itemProblems(body, problemsOf);
  if (problems) return refusedItems(problems);
  const ids = (body as { id: string }[]).map(({ id }) => id.toLowerCase());
  const unknown = ids.filter((id) => !store.subjects.has(id));
  if (unknown.length === 0) return ids;
  const named = unknown.map((id) => `'${id}'`).join(', ');
  return refused({ id: [`Subjects with IDs [${named}] do not exist.`] });
};

const change =
  (kind: 'join' | 'leave'): Run =>
  (call) => {
    const refusal = groupRefusal(call);
    if (refusal) return refusal;
    const ids = idsOf(call);
    if (!('length' in ids)) return ids;
    call.store.apply(kind === 'join' ? { join: call.key, subjects: ids } : { leave: call.key, subjects: ids });
    return ok(members(call).map(showSubject));
  };

const isThere = ({ member_calls: calls }: SiteSwitches): boolean => calls === 'found';

const one = /^subjectgroup\/([^/]+)\/subjects\/$/;

/** Subject groups and their direct members (site contract, section 7); adding and removing give the full member list. */
export const groupRoutes: readonly Route[] = [
  { method: 'GET', path: /^subjectgroups\/$/, run: listGroups },
  { method: 'GET', path: one, isThere, run: list },
  { method: 'POST', path: one, isThere, needs: permissions.changeGroup, run: change('join') },
  { method: 'DELETE', path: one, isThere, needs: permissions.changeGroup, run: change('leave') },
];
