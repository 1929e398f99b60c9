import { wholeList } from '../answers/paging.ts';
import { allowsCategory } from '../permissions.ts';
import type { Category, EventType } from '../state/records.ts';
import type { SiteStore } from '../state/store.ts';
import { asks, type Call, type Route, type Run } from './call.ts';

/** The category of this value; null when there is none. */
export const categoryOf = ({ categories }: SiteStore, value: string | undefined): Category | null =>
  [...categories.values()].find((category) => category.value === value) ?? null;

/** The type of this value, of the old or the new kind. */
export const typeOf = ({ eventTypes, newEventTypes }: SiteStore, value: unknown): EventType | undefined =>
  [...eventTypes.values(), ...newEventTypes.values()].find((type) => type.value === value);

/** Types of the categories that the token may view; inactive ones and schemas are asked for, schemas by default. */
const shown = (call: Call, types: Iterable<EventType>): EventType[] =>
  [...types]
    .filter(({ category }) => allowsCategory(call.token, 'view', category))
    .filter(({ is_active = true }) => is_active || asks(call, 'include_inactive'))
    .map(({ schema, ...type }) => {
      const withoutSchema = schema === undefined || call.query.get('include_schema')?.toLowerCase() === 'false';
      const flags = { is_active: true, is_collection: false };
      return withoutSchema ? Object.assign(flags, type) : Object.assign(flags, type, { schema });
    });

const oldTypes: Run = (call) => {
  const types = shown(call, call.store.eventTypes.values());
  const whole = types.map((type) => Object.assign({}, type, { category: categoryOf(call.store, type.category) }));
  return wholeList(whole, call.switches);
};

const newTypes: Run = (call) => wholeList(shown(call, call.store.newEventTypes.values()), call.switches);

const categories: Run = ({ store, switches }) => wholeList([...store.categories.values()], switches);

/** Types of events, of the old and the new kind, and their categories. */
export const eventTypeRoutes: readonly Route[] = [
  { method: 'GET', path: /^activity\/events\/eventtypes$/, run: oldTypes },
  { method: 'GET', path: /^\/api\/v2\.0\/activity\/eventtypes$/, run: newTypes },
  { method: 'GET', path: /^activity\/events\/categories$/, run: categories },
];
