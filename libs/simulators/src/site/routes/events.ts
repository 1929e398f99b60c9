import { isObject } from '../../json.ts';
import type { SimulatedResponse } from '../../http/answer.ts';
import { failed, refused } from '../answers/envelope.ts';
import { pageOfRows, type Place, rowsOf } from '../answers/paging.ts';
import { permissions } from '../permissions.ts';
import type { Event } from '../state/records.ts';
import { asks, type Call, instantOf, isId, type Route, type Run, timeOf, withParameters } from './call.ts';
import { categoryOf, typeOf } from './event-types.ts';

/** Member of an event that each date of a filter is about. */
const dates = { update_date: 'updated_at', create_date: 'created_at', date_range: 'time' } as const;

type Test = (event: Event) => boolean;

const isDate = (name: string): name is keyof typeof dates => Object.hasOwn(dates, name);

/** Both bounds are part of it, unless the site leaves its upper one out. */
const dateTest = (name: keyof typeof dates, range: unknown, { switches }: Call): Test | undefined => {
  if (!isObject(range) || Object.keys(range).some((key) => key !== 'lower' && key !== 'upper')) return undefined;
  const lower = instantOf(range['lower']);
  const upper = range['upper'] === undefined ? Infinity : instantOf(range['upper']);
  if (lower === undefined || upper === undefined) return undefined;
  const end = switches.bounds === 'inclusive' ? upper + 1 : upper;
  return (event) => {
    const at = timeOf(event[dates[name]]);
    return at >= lower && at < end;
  };
};

const idsTest = (ids: unknown, idOf: (event: Event) => string | undefined): Test | undefined => {
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string' && isId(id))) return undefined;
  const wanted = new Set(ids as string[]);
  return (event) => wanted.has(idOf(event) ?? '');
};

const testOf = (call: Call, name: string, value: unknown): Test | undefined => {
  if (isDate(name)) return dateTest(name, value, call);
  if (name === 'event_type') return idsTest(value, (event) => typeOf(call.store, event.event_type)?.id);
  return name === 'event_category'
    ? idsTest(value, (event) => categoryOf(call.store, typeOf(call.store, event.event_type)?.category)?.id)
    : undefined;
};

const badFilter = (problem: string): SimulatedResponse => refused({ filter: [problem] });

/** Rows that match the filter, or 400 for an unknown or unreadable member. */
const filterOf = (call: Call): Test | SimulatedResponse => {
  const text = call.query.get('filter');
  if (text === null) return () => true;
  let filter: unknown;
  try {
    filter = JSON.parse(text);
  } catch {
    return badFilter('The filter is no JSON.');
  }
  if (!isObject(filter)) return badFilter('The filter is no object.');
  const tests: Test[] = [];
  for (const [name, value] of Object.entries(filter)) {
    const test = testOf(call, name, value);
    if (!test) return badFilter(`${name} cannot be read.`);
    tests.push(test);
  }
  return (event) => tests.every((test) => test(event));
};

/** An event as lists show it; notes and files only on request. */
export const showEvent = ({ notes = [], files = [], ...event }: Event, call: Call): object => ({
  ...event,
  ...(asks(call, 'include_notes') ? { notes } : {}),
  ...(asks(call, 'include_files') ? { files } : {}),
});

/** Member of an event that each value of `sort_by` stands for. */
const sortMembers = {
  updated_at: 'updated_at',
  created_at: 'created_at',
  event_time: 'time',
  serial_number: 'serial_number',
} as const;

/** How a list is sorted: by what is asked for, else newest first; undefined for a value that the site does not know. */
const orderOf = ({ query, switches }: Call): { readonly name: string; readonly descending: boolean } | undefined => {
  const asked = query.get('sort_by');
  if (asked === null || switches.sort_by === 'ignored') return { name: 'updated_at', descending: true };
  const [descending, name] = asked.startsWith('-') ? [true, asked.slice(1)] : [false, asked];
  return Object.hasOwn(sortMembers, name) && switches.sort_by === 'honoured'
    ? { name: sortMembers[name as keyof typeof sortMembers], descending }
    : undefined;
};

/** Events that match the filter; notes and files only on request. Users may edit events between the pages. */
const events: Run = (call) => {
  const { query, store, switches, arrivals } = call;
  const passes = filterOf(call);
  if (typeof passes !== 'function') return passes;
  const order = orderOf(call);
  if (!order) return refused({ sort_by: [`"${query.get('sort_by')}" is not a valid choice.`] });
  const { name, descending } = order;
  const placeOf = (event: Event): Place => {
    const value = event[name];
    return [typeof value === 'number' ? value : timeOf(String(value)), event.id];
  };
  const sign = descending ? -1 : 1;
  const rows = [...store.events.values()].filter(passes).sort((a, b) => {
    const [[at, id], [otherAt, otherId]] = [placeOf(a), placeOf(b)];
    return sign * (at - otherAt || (id < otherId ? -1 : 1));
  });
  const page = pageOfRows({ rows: rowsOf(rows), placeOf, descending }, call, (event) => showEvent(event, call));
  if (page.body?.includes('"next":"')) arrivals.editSome(switches.edits_per_page);
  return page;
};

const file: Run = ({ store, path }) => {
  const found = store.files.get(path);
  if (!found) return failed(404);
  const bytes = Buffer.from(found.base64, 'base64');
  return { status: 200, headers: { 'content-type': 'application/octet-stream' }, bytes };
};

const parameters = ['filter', 'sort_by', 'include_notes', 'include_files'];

/** Events as they are read, and their files (platform contract, site pull actions). */
export const eventRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: /^activity\/events$/,
    needs: permissions.viewEvents,
    run: withParameters(parameters, true, events),
  },
  { method: 'GET', path: /^activity\/event\/[^/]+\/file\/[^/]+\/.*$/, run: file },
];
