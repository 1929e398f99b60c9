import { type Body, isObject, notAnObject } from '../../json.ts';
import type { SimulatedResponse } from '../../http/answer.ts';
import { created, failed, ok, refused } from '../answers/envelope.ts';
import { permissions } from '../permissions.ts';
import type { Patrol, Segment } from '../state/records.ts';
import { type Call, instantOf, isId, type Route, type Run, withObject } from './call.ts';
import { resolvedMembers } from './config.ts';
import { showPatrol } from './patrols.ts';

const idsIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const leaderOf = ({ leader }: Body): unknown => (isObject(leader) ? leader['id'] : undefined);

const rangeProblem = (range: unknown): string | undefined => {
  if (range === undefined || range === null) return undefined;
  if (!isObject(range)) return 'Not a valid range.';
  const { start_time: start, end_time: end } = range;
  const [from, to] = [start ?? undefined, end ?? undefined].map((at) => (at === undefined ? undefined : instantOf(at)));
  if ((start ?? undefined) !== undefined && from === undefined) return 'Datetime has wrong format.';
  if ((end ?? undefined) !== undefined && to === undefined) return 'Datetime has wrong format.';
  return from !== undefined && to !== undefined && to < from ? 'The end is before the start.' : undefined;
};

/** The rule that a segment breaks: only members of the resolved configuration, only active teams, only types that exist. */
const segmentProblem = ({ store, switches }: Call, segment: unknown): string | undefined => {
  if (!isObject(segment)) return notAnObject;
  const { id, patrol_type: type = null, team = null, segment_details: details } = segment;
  if (id !== undefined && !isId(String(id))) return 'id: Must be a valid UUID.';
  if (type !== null && ![...store.types.values()].some(({ value }) => value === type))
    return `patrol_type: Object with value=${String(type)} does not exist.`;
  const takes = new Set(resolvedMembers(store, switches).map((subject) => subject.id));
  const strange = [leaderOf(segment), ...idsIn(segment['members'])].find(
    (member) => member !== undefined && !takes.has(String(member)),
  );
  if (strange !== undefined) return `members: ${String(strange)} is no member of the patrol configuration.`;
  if (team !== null && store.teams.get(String(team))?.is_active !== true)
    return `team: ${String(team)} is no active team of the patrol configuration.`;
  if (details !== undefined && !isObject(details)) return 'segment_details: Value must be valid JSON object.';
  return rangeProblem(segment['time_range']);
};

const segmentsIn = (body: Body): readonly unknown[] => idsIn(body['patrol_segments']);

const problemOf = (call: Call, body: Body): SimulatedResponse | undefined => {
  const problems = segmentsIn(body).flatMap((segment) => segmentProblem(call, segment) ?? []);
  return problems.length > 0 ? refused({ patrol_segments: problems }) : undefined;
};

/** A segment as it is stored: its type by id. */
const segmentOf = ({ store }: Call, given: Body, base: Segment): Segment => {
  const { patrol_type: value, ...rest } = given;
  const type = [...store.types.values()].find((each) => each.value === value);
  return { ...base, ...rest, ...(value === undefined ? {} : { patrol_type: type?.id ?? null }) } as Segment;
};

const newSegment = (call: Call): Segment => ({
  id: call.newId(),
  patrol_type: null,
  leader: null,
  members: [],
  team: null,
  time_range: null,
  segment_details: {},
});

/** A patrol whose segments have all ended is done. */
const withState = ({ clock }: Call, patrol: Patrol): Patrol => {
  const ends = patrol.patrol_segments.map(({ time_range: range }) =>
    instantOf(isObject(range) ? range['end_time'] : undefined),
  );
  const isDone = ends.length > 0 && ends.every((end) => end !== undefined && end < clock.now());
  return isDone ? { ...patrol, state: 'done' } : patrol;
};

/** Takes the client's ids. One that exists is 500, never 409. */
const create = (call: Call, body: Body): SimulatedResponse => {
  const { store, newId } = call;
  const bad = problemOf(call, body);
  if (bad) return bad;
  const id = body['id'] === undefined ? newId() : String(body['id']);
  if (!isId(id)) return refused({ id: ['Must be a valid UUID.'] });
  const patrol_segments = segmentsIn(body).map((given) => segmentOf(call, given as Body, newSegment(call)));
  const taken = new Set([...store.patrols.values()].flatMap((patrol) => patrol.patrol_segments.map((each) => each.id)));
  if (store.patrols.has(id) || patrol_segments.some((segment) => taken.has(segment.id)))
    return failed(500, 'duplicate key value violates unique constraint');
  const base = { title: null, objective: null, priority: 0, state: 'open', notes: [], files: [] };
  const record = withState(call, { ...base, serial_number: store.patrols.size + 1, ...body, id, patrol_segments });
  store.apply({ put: 'patrols', record });
  return created(showPatrol(call, record));
};

/** Changes segments by their ids and adds those without; an id that the patrol does not have is refused. Nothing is deleted. */
const patch = (call: Call, body: Body): SimulatedResponse => {
  const patrol = call.store.patrols.get(call.key);
  if (!patrol) return failed(404);
  const bad = problemOf(call, body);
  if (bad) return bad;
  const given = segmentsIn(body) as readonly Body[];
  const known = new Set(patrol.patrol_segments.map(({ id }) => id));
  const strange = given.find(({ id }) => id !== undefined && !known.has(String(id)));
  if (strange) return refused({ patrol_segments: [`${String(strange['id'])} is no segment of this patrol.`] });
  const kept = patrol.patrol_segments.map((segment) => {
    const change = given.find(({ id }) => id === segment.id);
    return change ? segmentOf(call, change, segment) : segment;
  });
  const added = given.filter(({ id }) => id === undefined).map((each) => segmentOf(call, each, newSegment(call)));
  const record = withState(call, { ...patrol, ...body, id: patrol.id, patrol_segments: [...kept, ...added] });
  call.store.apply({ put: 'patrols', record });
  return ok(showPatrol(call, record));
};

const show: Run = (call) => {
  const patrol = call.store.patrols.get(call.key);
  return patrol ? ok(showPatrol(call, patrol)) : failed(404);
};

const one = /^activity\/patrols\/([0-9a-f-]{36})$/;

/** Patrols as the import writes them (contract of the site, additions, 7). */
export const patrolWriteRoutes: readonly Route[] = [
  { method: 'POST', path: /^activity\/patrols$/, needs: permissions.addPatrol, run: withObject(create) },
  { method: 'GET', path: one, needs: permissions.viewPatrols, run: show },
  { method: 'PATCH', path: one, needs: permissions.changePatrol, run: withObject(patch) },
];
