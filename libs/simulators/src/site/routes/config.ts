import { failed, ok } from '../answers/envelope.ts';
import { permissions } from '../permissions.ts';
import type { Call, Route, Run } from './call.ts';

/** A member group as an id or an object; a subject among them is always an object. */
const item = ({ store, switches }: Call, id: string): unknown => {
  const subject = store.subjects.get(id);
  if (subject) return { id, name: subject.name, subject_subtype: subject.subject_subtype };
  const name = store.groups.get(id)?.name ?? 'a group that is gone';
  if (switches.config_items === 'ids') return id;
  return switches.config_items === 'names' ? { name } : { id, name };
};

const show: Run = (call) => {
  const { switches, store } = call;
  if (switches.config === 'not_found') return failed(404);
  const groups = switches.config === 'empty' ? [] : store.settings.member_groups;
  return ok({ name: 'default', [switches.config_key]: groups.map((id) => item(call, id)) });
};

/** The patrol configuration with its member groups, in whichever shape the switches say (site contract, section 7). */
export const configRoutes: readonly Route[] = [
  { method: 'GET', path: /^activity\/patrols\/config\/default\/$/, needs: permissions.viewConfig, run: show },
];
