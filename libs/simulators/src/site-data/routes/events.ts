import type { SimulatedResponse } from '../../http/answer.ts';
import { failed, ok, refused } from '../../site/answers/envelope.ts';
import { isObject } from '../../site/answers/fields.ts';
import { type DataCall, type DataRoute, instantOf, isId, rowsOf, unknownParameter } from '../call.ts';
import { pageOfRows, type Place, wholeList } from '../paging.ts';
import type { Event, SiteData } from '../records.ts';

/** Member of an event that each date of a filter is about. */
const dates = { update_date: 'updated_at', create_date: 'created_at', date_range: 'time' } as const;

type Test = (event: Event) => boolean;

const isDate = (name: string): name is keyof typeof dates => Object.hasOwn(dates, name);

/** Both bounds are part of it, unless the site leaves its upper one out. */
const dateTest = (name: keyof typeof dates, range: unknown, { switches }: DataCall): Test | undefined => {
  if (!isObject(range) || Object.keys(range).some((key) => key !== 'lower' && key !== 'upper')) return undefined;
  const lower = instantOf(range['lower']);
  const upper = range['upper'] === undefined ? Infinity : instantOf(range['upper']);
  if (lower === undefined || upper === undefined) return undefined;
  const end = switches.bounds === 'inclusive' ? upper + 1 : upper;
  return (event) => {
    const at = Date.parse(event[dates[name]]);
    return at >= lower && at < end;
  };
};

const idsTest = (ids: unknown, idOf: (event: Event) => string | undefined): Test | undefined => {
  if (!Array.isArray(ids) || !ids.every((id) => typeof id === 'string' && isId(id))) return undefined;
  const wanted = new Set(ids as string[]);
  return (event) => wanted.has(idOf(event) ?? '');
};

const typeOf = ({ eventTypes, newEventTypes }: SiteData, { event_type: slug }: Event) =>
  [...eventTypes, ...newEventTypes].find(({ value }) => value === slug);

const categoryIdOf = (data: SiteData, event: Event): string | undefined =>
  data.categories.find(({ value }) => value === typeOf(data, event)?.category)?.id;

const testOf = (call: DataCall, name: string, value: unknown): Test | undefined => {
  if (isDate(name)) return dateTest(name, value, call);
  if (name === 'event_type') return idsTest(value, (event) => typeOf(call.data, event)?.id);
  return name === 'event_category' ? idsTest(value, (event) => categoryIdOf(call.data, event)) : undefined;
};

const badFilter = (problem: string): SimulatedResponse => refused({ filter: [problem] });

/** What the filter lets pass, or 400 for a member that the site does not know or cannot read. */
const filterOf = (call: DataCall): Test | SimulatedResponse => {
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

const shown = ({ notes = [], files = [], ...event }: Event, query: URLSearchParams): object => ({
  ...event,
  ...(query.get('include_notes') === 'true' ? { notes } : {}),
  ...(query.get('include_files') === 'true' ? { files } : {}),
});

/** Member of an event that each value of `sort_by` stands for. */
const sortMembers = {
  updated_at: 'updated_at',
  created_at: 'created_at',
  event_time: 'time',
  serial_number: 'serial_number',
} as const;

/** How a list is sorted: by what is asked for, else newest first; undefined for a value that the site does not know. */
const orderOf = ({
  query,
  switches,
}: DataCall): { readonly name: string; readonly descending: boolean } | undefined => {
  const asked = query.get('sort_by');
  if (asked === null || switches.sort_by === 'ignored') return { name: 'updated_at', descending: true };
  const [descending, name] = asked.startsWith('-') ? [true, asked.slice(1)] : [false, asked];
  return Object.hasOwn(sortMembers, name) && switches.sort_by === 'honoured'
    ? { name: sortMembers[name as keyof typeof sortMembers], descending }
    : undefined;
};

/** `activity/events`: what the filter lets pass; notes and files only on request. */
export const events: DataRoute = (call) => {
  const { query, data } = call;
  const strange = unknownParameter(query, ['filter', 'sort_by', 'include_notes', 'include_files'], true);
  if (strange) return strange;
  const passes = filterOf(call);
  if (typeof passes !== 'function') return passes;
  const order = orderOf(call);
  if (!order) return refused({ sort_by: [`"${query.get('sort_by')}" is not a valid choice.`] });
  const { name, descending } = order;
  const placeOf = (event: Event): Place => {
    const value = event[name];
    return [typeof value === 'number' ? value : Date.parse(String(value)), event.id];
  };
  const sign = descending ? -1 : 1;
  const rows = data.events.filter(passes).toSorted((a, b) => {
    const [[at, id], [otherAt, otherId]] = [placeOf(a), placeOf(b)];
    return sign * (at - otherAt || (id < otherId ? -1 : 1));
  });
  return pageOfRows({ rows: rowsOf(rows), placeOf, descending }, call, (event) => shown(event, query));
};

/** `activity/events/eventtypes`: the old kind, with the whole category. */
export const oldEventTypes: DataRoute = ({ data, switches }) =>
  wholeList(
    data.eventTypes.map((type) => ({
      ...type,
      category: data.categories.find(({ value }) => value === type.category) ?? null,
    })),
    switches,
  );

/** `/api/v2.0/activity/eventtypes`: the new kind, with the value of the category. */
export const newEventTypes: DataRoute = ({ data, switches }) => wholeList(data.newEventTypes, switches);

/** `activity/events/categories`. */
export const categories: DataRoute = ({ data, switches }) => wholeList(data.categories, switches);

/** A file of an event. */
export const file: DataRoute = ({ data, path }) => {
  const bytes = data.files.get(path);
  return bytes ? { status: 200, headers: { 'content-type': 'application/octet-stream' }, bytes } : failed(404);
};

/** `user/me`. */
export const me: DataRoute = ({ user: { password: _password, token: _token, ...user } }) =>
  ok({ id: '00000000-0000-4000-8000-00000000beef', ...user });
