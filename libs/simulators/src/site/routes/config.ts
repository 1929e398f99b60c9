import { failed, ok } from '../answers/envelope.ts';
import { permissions, withSubgroups } from '../permissions.ts';
import type { Subject } from '../state/records.ts';
import type { SiteStore } from '../state/store.ts';
import type { SiteSwitches } from '../switches.ts';
import type { Call, Route, Run } from './call.ts';
import { showSubject } from './subjects.ts';

/** A member group as an id or an object; a subject among them is always an object. */
const item = ({ store, switches }: Call, id: string): unknown => {
  const subject = store.subjects.get(id);
  if (subject) return { id, name: subject.name, subject_subtype: subject.subject_subtype };
  const name = store.groups.get(id)?.name ?? 'a group that is gone';
  if (switches.config_items === 'ids') return id;
  return switches.config_items === 'names' ? { name } : { id, name };
};

const memberGroups = ({ settings }: SiteStore, { config }: SiteSwitches): readonly string[] =>
  config === 'empty' ? [] : settings.member_groups;

/** Whoever a segment may take: active subjects of the member groups and their subgroups. */
const resolvedSubjects = (store: SiteStore, switches: SiteSwitches): readonly Subject[] => {
  const listed = memberGroups(store, switches);
  const groups = withSubgroups(store, listed);
  const ids = new Set([...listed, ...[...groups].flatMap((group) => Array.from(store.members(group)))]);
  return [...ids].flatMap((id) => store.subjects.get(id) ?? []).filter(({ is_active }) => is_active);
};

const isPerson = ({ subject_type: type }: Subject): boolean => type === 'person';

/** The persons among them. */
export const resolvedMembers = (store: SiteStore, switches: SiteSwitches): readonly Subject[] =>
  resolvedSubjects(store, switches).filter(isPerson);

const unlessHidden =
  (run: Run): Run =>
  (call) =>
    call.switches.config === 'not_found' ? failed(404) : run(call);

const show: Run = (call) =>
  ok({
    name: 'default',
    [call.switches.config_key]: memberGroups(call.store, call.switches).map((id) => item(call, id)),
    teams: [...call.store.teams.values()],
  });

const resolved: Run = ({ store, switches }) =>
  ok({
    members: resolvedMembers(store, switches).map(showSubject),
    assets: resolvedSubjects(store, switches)
      .filter((subject) => !isPerson(subject))
      .map(showSubject),
    teams: [...store.teams.values()].filter(({ is_active }) => is_active),
  });

const needs = permissions.viewPatrols;

/** The patrol configuration with its member groups and teams, in whichever shape the switches say (site contract, section 7). */
export const configRoutes: readonly Route[] = [
  { method: 'GET', path: /^activity\/patrols\/config\/default\/$/, needs, run: unlessHidden(show) },
  { method: 'GET', path: /^activity\/patrols\/config\/default\/resolved\/$/, needs, run: unlessHidden(resolved) },
];
