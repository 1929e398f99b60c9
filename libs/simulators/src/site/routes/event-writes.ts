import { type Body, isObject } from '../../json.ts';
import type { SimulatedResponse } from '../../http/answer.ts';
import { created, failed, ok, refused, refusedItems } from '../answers/envelope.ts';
import { itemProblems, type Problems } from '../answers/fields.ts';
import { stampOf } from '../arrivals.ts';
import { allowsCategory, allowsRelating, permissions } from '../permissions.ts';
import type { Event } from '../state/records.ts';
import { type Call, instantOf, isId, type Route, type Run } from './call.ts';
import { showEvent } from './events.ts';
import { typeOf } from './event-types.ts';
import { fileIn } from './multipart.ts';

const maxEvents = 20;

const segmentsOf = ({ patrol_segments: ids = [] }: Body): readonly unknown[] => (Array.isArray(ids) ? ids : [ids]);

/** Why an event is refused; an empty object for a good one. */
const problemsOf = ({ store }: Call, item: Body, others: readonly unknown[]): Problems => {
  const { event_type: type, time, id, collection } = item;
  if (typeOf(store, type) === undefined) return { event_type: [`Object with value=${String(type)} does not exist.`] };
  if (time !== undefined && instantOf(time) === undefined) return { time: ['Datetime has wrong format.'] };
  if (id !== undefined && !isId(String(id))) return { id: ['Must be a valid UUID.'] };
  const known = new Set([...store.patrols.values()].flatMap((patrol) => patrol.patrol_segments.map((each) => each.id)));
  const unknown = segmentsOf(item).filter((segment) => !known.has(String(segment)));
  if (unknown.length > 0) return { patrol_segments: [`Invalid pk "${String(unknown[0])}" - object does not exist.`] };
  if (collection === undefined || collection === null) return {};
  const holderId = isObject(collection) ? collection['id'] : undefined;
  const holder =
    store.events.get(String(holderId)) ??
    others.filter((other) => isObject(other)).find((other) => other['id'] === holderId);
  const isCollection = holder && typeOf(store, holder['event_type'])?.is_collection === true;
  return isCollection ? {} : { collection: ['Not an event of a type that holds events.'] };
};

/** The site does not look for these before it writes: 500. */
const failureOf = ({ store }: Call, items: readonly Body[]): SimulatedResponse | undefined => {
  if (items.some((item) => Object.hasOwn(item, 'end_time'))) return failed(500, 'end_time');
  const ids = items.flatMap(({ id }) => (id === undefined ? [] : [String(id)]));
  const isTaken = new Set(ids).size < ids.length || ids.some((id) => store.events.has(id));
  return isTaken ? failed(500, 'duplicate key value violates unique constraint') : undefined;
};

const isForbidden = ({ token, store }: Call, items: readonly Body[]): boolean =>
  items.some(({ event_type: type }) => !allowsCategory(token, 'add', typeOf(store, type)?.category ?? '')) ||
  (items.some((item) => segmentsOf(item).length > 0) && !allowsRelating(token));

const eventOf = ({ store, clock, newId, token }: Call, item: Body, at: number): Event => {
  const now = stampOf(store, clock.now());
  return {
    id: newId(),
    serial_number: store.events.size + at + 1,
    title: null,
    time: now,
    state: 'new',
    priority: 0,
    location: null,
    event_details: {},
    reported_by: token.username,
    ...item,
    patrol_segments: segmentsOf(item),
    created_at: now,
    updated_at: now,
  } as unknown as Event;
};

/** One event, or a list of up to 20, of which one bad item refuses all; a list of one is answered as one event. */
const create: Run = (call) => {
  const items: readonly unknown[] = Array.isArray(call.body) ? call.body : [call.body];
  if (items.length === 0 || items.length > maxEvents)
    return refused({ non_field_errors: [`Give 1 to ${maxEvents} events.`] });
  const problems = itemProblems(items, (item) => problemsOf(call, item, items));
  if (problems) return Array.isArray(call.body) ? refusedItems(problems) : refused(problems[0] ?? {});
  const bodies = items as readonly Body[];
  if (isForbidden(call, bodies)) return failed(403, 'You do not have permission to perform this action.');
  const failure = failureOf(call, bodies);
  if (failure) return failure;
  const events = bodies.map((item, at) => eventOf(call, item, at));
  call.store.apply(...events.map((record) => ({ put: 'events', record }) as const));
  const [first] = events;
  return created(events.length === 1 ? first : events);
};

const show: Run = (call) => {
  const event = call.store.events.get(call.key);
  return event ? ok(showEvent(event, call)) : failed(404);
};

/** Adds a file to an event; an empty one is refused. */
const addFile: Run = (call) => {
  const { store, key, newId, upload, path } = call;
  const event = store.events.get(key);
  if (!event) return failed(404);
  const file = upload && fileIn(upload, 'filecontent.file');
  if (!file) return refused({ 'filecontent.file': ['No file was submitted.'] });
  if (file.bytes.length === 0) return refused({ 'filecontent.file': ['The submitted file is empty.'] });
  const id = newId();
  const place = `${path.replace(/\/files\/?$/, '')}/file/${id}/original/${encodeURIComponent(file.name)}`;
  const shown = { id, url: `http://${call.host}${place}`, filename: file.name };
  store.apply(
    { put: 'files', record: { id: place, base64: file.bytes.toString('base64') } },
    { put: 'events', record: { ...event, files: [...(event.files ?? []), shown] } },
  );
  return created(shown);
};

/** Events and their files as the import of patrols writes them (contract of the site, additions, 7). */
export const eventWriteRoutes: readonly Route[] = [
  { method: 'POST', path: /^activity\/events$/, run: create },
  { method: 'GET', path: /^activity\/event\/([^/]+)$/, needs: permissions.viewEvents, run: show },
  { method: 'POST', path: /^activity\/event\/([^/]+)\/files$/, takesFiles: true, run: addFile },
];
