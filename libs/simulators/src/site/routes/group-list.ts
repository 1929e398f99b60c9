import { ok } from '../answers/envelope.ts';
import type { Group } from '../state/records.ts';
import { groupsUnder, visibleGroups } from '../visibility.ts';
import { asks, type Call, type Run } from './call.ts';
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
export const listGroups: Run = (call) => {
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
  return ok((flat ? listed.filter(matches) : roots(call, listed, matches)).map(show));
};
