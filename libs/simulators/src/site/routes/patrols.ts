import { isObject } from '../../json.ts';
import { refused } from '../answers/envelope.ts';
import { permissions } from '../permissions.ts';
import type { Patrol } from '../state/records.ts';
import { pageOf, type Call, type Route, type Run } from './call.ts';

/** Ids of the types that are asked for; null: all patrols; undefined: no such filter. */
const wantedTypes = (text: string | null): readonly unknown[] | null | undefined => {
  if (text === null) return null;
  try {
    const filter: unknown = JSON.parse(text);
    if (!isObject(filter)) return undefined;
    const types = filter['patrol_type'];
    if (types === undefined) return null;
    return Array.isArray(types) ? types : undefined;
  } catch {
    return undefined;
  }
};

/** A patrol with the types of its segments by id or value, and with the events of each. */
export const showPatrol = ({ switches, store }: Call, patrol: Patrol): object => ({
  ...patrol,
  patrol_segments: patrol.patrol_segments.map((segment) => {
    const type = segment.patrol_type === null ? undefined : store.types.get(segment.patrol_type);
    const shownType = switches.patrol_type_shown === 'value' ? (type?.value ?? null) : segment.patrol_type;
    const events = [...store.events.values()].filter(({ patrol_segments: ids }) =>
      Array.isArray(ids) ? ids.includes(segment.id) : false,
    );
    return Object.assign({}, segment, { patrol_type: shownType, events });
  }),
});

const list: Run = (call) => {
  const honoured = call.switches.patrol_filter === 'honoured';
  const wanted = honoured ? wantedTypes(call.query.get('filter')) : null;
  if (wanted === undefined) return refused({ filter: ['Not a valid filter.'] });
  const rows = [...call.store.patrols.values()].filter(
    ({ patrol_segments }) =>
      wanted === null ||
      patrol_segments.some(({ patrol_type }) => patrol_type !== null && wanted.includes(patrol_type)),
  );
  return pageOf(call, rows, (patrol) => showPatrol(call, patrol));
};

/** Patrols, by type: `filter={"patrol_type":["<id>"]}` (site contract, section 3). Always paged. */
export const patrolRoutes: readonly Route[] = [
  { method: 'GET', path: /^activity\/patrols\/$/, needs: permissions.viewPatrols, run: list },
];
