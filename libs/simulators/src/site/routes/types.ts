import { type Body } from '../../json.ts';
import type { SimulatedResponse } from '../../http/answer.ts';
import { created, deleted, failed, ok, refused } from '../answers/envelope.ts';
import { flag, overlong, readOnly, refusal, taken, text, type Rule } from '../answers/fields.ts';
import { permissions } from '../permissions.ts';
import type { Patrol, PatrolType } from '../state/records.ts';
import type { SiteSwitches } from '../switches.ts';
import { asks, withObject, type Call, type Route, type Run } from './call.ts';

const columns = { value: 50, display: 255 };
/** `ordernum` is read-only: the site sets it. */
const writable = ['display', 'default_priority', 'is_active'] as const;

const slug: Rule = (value) =>
  text(value) ?? (/^[a-z0-9_]+$/.test(String(value)) ? undefined : 'Enter a value of a-z, 0-9 and _.');

const rules = { value: slug, display: text, is_active: flag, icon: readOnly, icon_id: readOnly };

const list: Run = (call) => {
  const { store, switches } = call;
  const kind = switches.inactive_types;
  const inactiveToo = kind === 'shown' || (kind === 'on_request' && asks(call, 'include_inactive'));
  const rows = [...store.types.values()].filter(({ is_active }) => inactiveToo || is_active);
  return ok(rows.sort((a, b) => (a.ordernum ?? 0) - (b.ordernum ?? 0)));
};

const create = (call: Call, body: Body): SimulatedResponse => {
  const { store } = call;
  const bad = refusal(body, rules, ['value', 'display']) ?? overlong(body, columns);
  if (bad) return bad;
  if ([...store.types.values()].some(({ value }) => value === body['value']))
    return refused({ value: ['A patrol type with this value already exists.'] });
  const record = {
    id: call.newId(),
    ordernum: store.types.size,
    icon: null,
    icon_id: null,
    default_priority: 0,
    schema: null,
    is_active: true,
    ...taken<PatrolType>(body, ['value', ...writable]),
  } as PatrolType;
  store.apply({ put: 'types', record });
  return created(record);
};

const find = ({ store, switches, key }: Call): PatrolType | undefined => {
  const byValue = [...store.types.values()].find(({ value }) => value === key);
  if (switches.type_address === 'value') return byValue;
  return store.types.get(key) ?? (switches.type_address === 'both' ? byValue : undefined);
};

const show: Run = (call) => {
  const type = find(call);
  const isShown =
    type && (type.is_active || call.switches.inactive_types === 'shown' || asks(call, 'include_inactive'));
  return isShown ? ok(type) : failed(404);
};

const patch = (call: Call, body: Body): SimulatedResponse => {
  const type = find(call);
  if (!type) return failed(404);
  const changed = Object.hasOwn(body, 'value') && body['value'] !== type.value;
  const bad = changed ? refused({ value: ['The value of a patrol type cannot be changed.'] }) : refusal(body, rules);
  const problem = bad ?? overlong(body, columns);
  if (problem) return problem;
  const record = { ...type, ...taken<PatrolType>(body, writable) };
  call.store.apply({ put: 'types', record });
  return ok(record);
};

const without = (patrol: Patrol, type: string): Patrol => ({
  ...patrol,
  patrol_segments: patrol.patrol_segments.map((segment) =>
    segment.patrol_type === type ? { ...segment, patrol_type: null } : segment,
  ),
});

const uses = (patrol: Patrol, type: string): boolean =>
  patrol.patrol_segments.some(({ patrol_type }) => patrol_type === type);

/** Gone for good, and blank where patrols used it. */
const remove: Run = (call) => {
  const type = find(call);
  if (!type) return failed(404);
  const blanked = [...call.store.patrols.values()]
    .filter((patrol) => uses(patrol, type.id))
    .map((patrol) => ({ put: 'patrols', record: without(patrol, type.id) }) as const);
  call.store.apply({ remove: 'types', id: type.id }, ...blanked);
  return deleted(call.switches.delete_answer);
};

/** Sites that are too old know no writing of types. */
const isThere = ({ types_read_only: readOnly }: SiteSwitches): boolean => !readOnly;

const all = /^activity\/patrols\/types\/$/;
const one = /^activity\/patrols\/types\/([^/]+)\/$/;

/**
 * Patrol types (site contract, section 3): never paged, inactive ones and how each is addressed as the switches `inactive_types` and
 * `type_address` say.
 */
export const typeRoutes: readonly Route[] = [
  { method: 'GET', path: all, needs: permissions.viewTypes, run: list },
  { method: 'POST', path: all, needs: permissions.addType, isThere, run: withObject(create) },
  { method: 'GET', path: one, needs: permissions.viewTypes, run: show },
  { method: 'PATCH', path: one, needs: permissions.changeType, isThere, run: withObject(patch) },
  { method: 'DELETE', path: one, needs: permissions.deleteType, isThere, run: remove },
];
