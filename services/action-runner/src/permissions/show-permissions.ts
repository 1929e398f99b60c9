import { type ActionContext, defineAction } from '@ranger-relay/actions';
import { isObject, isRelayError, toRelayError } from '@ranger-relay/errors';
import type { SiteReader } from '@ranger-relay/site';
import { z } from 'zod';
import { readList, type Row, textOf } from '../mapping/instant.ts';
import { type Group, groupQuery, readGroup, withSubgroups } from '../mapping/subject-groups.ts';
import type { SiteDependencies } from '../tools.ts';

/** Settings of the action `show_permissions`. */
export const showPermissionsConfig = z.object({
  include_subjects_from_subgroups_in_parent: z.boolean().default(true).meta({
    title: 'Subjects of subgroups in their parent',
    description: 'Lists a group with the subjects of its subgroups too.',
  }),
});

type ShowPermissionsConfig = z.output<typeof showPermissionsConfig>;

/** Replaces a section that could not be built. */
interface FailedSection {
  readonly error: string;
}

/** Result of a request; each section that needs a failed one reports the error itself. */
type Asked<T> = { readonly value: T } | FailedSection;

/** Makes a request and captures its error. @throws the signal's reason */
const asked = async <T>(signal: AbortSignal, ask: () => Promise<T>): Promise<Asked<T>> => {
  try {
    return { value: await ask() };
  } catch (error) {
    signal.throwIfAborted();
    return { error: toRelayError(error).message };
  }
};

/** Builds a section from the result of a request, or returns its error. */
const section = <T, U>(found: Asked<T>, make: (value: T) => U): U | FailedSection =>
  'error' in found ? found : make(found.value);

/** Combines two results, or returns the first error. */
const both = <T, U>(first: Asked<T>, second: Asked<U>): Asked<readonly [T, U]> => {
  if ('error' in first) return first;
  return 'error' in second ? second : { value: [first.value, second.value] };
};

/** Returns each text once, sorted. */
const sorted = (texts: Iterable<string>): readonly string[] => [...new Set(texts)].toSorted();

/** Builds an object with sorted members. */
const inOrder = <T>(entries: Iterable<readonly [string, T]>): Readonly<Record<string, T>> =>
  Object.fromEntries([...entries].toSorted(([a], [b]) => (a < b ? -1 : Number(a > b))));

/** The details shown of the user. */
const userDetails = (me: unknown): object => {
  const user = isObject(me) ? me : {};
  const names = [textOf(user['first_name']), textOf(user['last_name'])].filter((name) => name !== undefined);
  return {
    'Full Name': names.join(' '),
    Username: textOf(user['username']) ?? '',
    'Is Superuser': user['is_superuser'] === true,
  };
};

const kinds = ['Event Category', 'Event Type', 'Event', 'Message', 'Observation'] as const;

/** Normalizes a name: sites write the same name with spaces, with underscores, or as one word. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');

const texts = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];

const permissionsOf = (me: unknown): Row => {
  const permissions = isObject(me) ? me['permissions'] : undefined;
  return isObject(permissions) ? permissions : {};
};

const everything = ['add', 'change', 'delete', 'view'] as const;

/**
 * The user's permissions for each kind of record. A site lists those for observations to nobody, and a superuser has them all, listed or not.
 * @param seesObservations whether the site has returned observations to the user
 */
const globalPermissions = (me: unknown, seesObservations: boolean): object => {
  const entries = Object.entries(permissionsOf(me));
  const isSuperuser = isObject(me) && me['is_superuser'] === true;
  return Object.fromEntries(
    kinds.map((kind) => {
      const listed = entries.flatMap(([name, actions]) => (plain(name) === plain(kind) ? texts(actions) : []));
      const shown = kind === 'Observation' && seesObservations ? ['view'] : [];
      return [kind, isSuperuser ? everything : sorted([...listed, ...shown])];
    }),
  );
};

/** The user's permissions for the events of a category; a category without an entry may be viewed. */
const categoryPermissions = (me: unknown, slug: string): readonly string[] => {
  const own = permissionsOf(me)[slug];
  return own === undefined ? ['view'] : sorted(texts(own));
};

const groupsIn = (rows: readonly unknown[]): readonly Group[] => rows.flatMap((row) => withSubgroups(readGroup(row)));

const namesOf = ({ subjects }: Group): readonly string[] =>
  subjects.flatMap((subject) => (isObject(subject) ? (textOf(subject['name']) ?? []) : []));

/** Groups with the names of their subjects, nested groups included; groups of the same name are merged. */
const subjectGroups = (rows: readonly unknown[], isWhole: boolean): object => {
  const found = new Map<string, readonly string[]>();
  for (const group of groupsIn(rows)) {
    const name = group.name ?? group.id;
    if (name === undefined) continue;
    const own = (isWhole ? withSubgroups(group) : [group]).flatMap(namesOf);
    found.set(name, sorted([...(found.get(name) ?? []), ...own]));
  }
  return inOrder(found);
};

/** Ids of all groups, nested groups included. */
const groupIds = (rows: readonly unknown[]): readonly string[] => sorted(groupsIn(rows).flatMap(({ id }) => id ?? []));

/** Categories by slug; of several with one slug, one with its own display name is preferred. */
const bySlug = (categories: readonly Named[], types: readonly EventTypeFacts[]): ReadonlyMap<string, Named> => {
  const found = new Map<string, Named>();
  for (const category of [...types.flatMap(({ category }) => category ?? []), ...categories]) {
    const known = found.get(category.slug);
    if (!known || known.display === known.slug) found.set(category.slug, category);
  }
  return found;
};

/** Each category with its types and the user's permissions for it. */
const eventCategories = (
  categories: readonly Named[],
  types: readonly EventTypeFacts[],
  me: unknown,
): Readonly<Record<string, object>> =>
  inOrder(
    [...bySlug(categories, types).values()].map(({ slug, display }) => [
      display,
      {
        'Event Types': sorted(types.flatMap((type) => (type.category?.slug === slug ? type.display : []))),
        Permissions: categoryPermissions(me, slug),
      },
    ]),
  );

/** An event type or category. */
interface Named {
  readonly slug: string;
  readonly display: string;
}

/** A type with its category. */
interface EventTypeFacts extends Named {
  readonly category: Named | undefined;
}

const namedOf = (row: unknown): Named | undefined => {
  const slug = isObject(row) ? textOf(row['value']) : textOf(row);
  return slug === undefined ? undefined : { slug, display: (isObject(row) && textOf(row['display'])) || slug };
};

const listOf = async (reader: Pick<SiteReader, 'pages'>, path: string): Promise<readonly unknown[]> => {
  const rows: unknown[] = [];
  for await (const page of reader.pages(path)) rows.push(...page);
  return rows;
};

/** Sites without one of the two kinds answer its address with "not found". */
const orNone = async (list: Promise<readonly unknown[]>): Promise<readonly unknown[] | undefined> => {
  try {
    return await list;
  } catch (error) {
    if (isRelayError(error, 'site_not_found')) return undefined;
    throw error;
  }
};

const typeOf = (row: unknown): readonly EventTypeFacts[] => {
  const type = namedOf(row);
  return type ? [{ ...type, category: namedOf(isObject(row) ? row['category'] : undefined) }] : [];
};

/** Reads the event types of the old and the new kind. @throws RelayError of the site, also when it has neither */
const readEventTypes = async (reader: Pick<SiteReader, 'pages'>): Promise<readonly EventTypeFacts[]> => {
  const old = listOf(reader, 'activity/events/eventtypes');
  const [oldRows, newRows] = await Promise.all([orNone(old), orNone(listOf(reader, '/api/v2.0/activity/eventtypes'))]);
  if (!oldRows && !newRows) await old;
  return [...(oldRows ?? []), ...(newRows ?? [])].flatMap(typeOf);
};

/** Reads the categories of the site, with or without types. @throws RelayError of the site */
const readCategories = async (reader: Pick<SiteReader, 'pages'>): Promise<readonly Named[]> => {
  const rows = await orNone(listOf(reader, 'activity/events/categories'));
  return (rows ?? []).flatMap((row) => namedOf(row) ?? []);
};

/** A list of observations that no observation can match. */
const noObservations = { since: '2100-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z', filter: 'null' };

/** Whether the site shows observations to the user. @throws RelayError of the site when it does not say */
const mayViewObservations = async (reader: Pick<SiteReader, 'page'>): Promise<boolean> => {
  try {
    await reader.page('observations', { ...noObservations, page_size: '1', use_cursor: 'true' });
    return true;
  } catch (error) {
    if (isRelayError(error, 'site_forbidden')) return false;
    throw error;
  }
};

type Context = Pick<
  ActionContext<ShowPermissionsConfig, unknown, SiteDependencies>,
  'config' | 'configOf' | 'integration' | 'signal' | 'tools'
>;

const dataOf = async (reader: SiteReader, { config, signal }: Context): Promise<object> => {
  const [me, types, categories, groups, observations] = await Promise.all([
    asked(signal, () => reader.get('user/me')),
    asked(signal, () => readEventTypes(reader)),
    asked(signal, () => readCategories(reader)),
    asked(signal, async () => readList(await reader.get('subjectgroups', groupQuery)).rows),
    asked(signal, () => mayViewObservations(reader)),
  ]);
  const kinds = both(categories, types);
  const isWhole = config.include_subjects_from_subgroups_in_parent;
  return {
    'User Details': section(me, userDetails),
    'Global Permissions': section(both(me, observations), ([user, sees]) => globalPermissions(user, sees)),
    'Event Categories': section(both(kinds, me), ([[c, t], user]) => eventCategories(c, t, user)),
    'Event Type Slugs': section(types, (all) => sorted(all.map(({ slug }) => slug))),
    'Event Category Slugs': section(kinds, ([c, t]) => sorted(bySlug(c, t).keys())),
    'Subject Groups': section(groups, (rows) => subjectGroups(rows, isWhole)),
    'Subject Group UUIDs': section(groups, groupIds),
  };
};

/** Shows what the integration's credentials may see at the site; a section that fails contains its error instead. */
const showPermissions = async (context: Context): Promise<object> => {
  const { tools, integration, signal } = context;
  const reader = tools.openReader(integration, await context.configOf('auth'), signal);
  return { ui: { widget: 'DynamicJSONCard' }, data: await dataOf(reader, context) };
};

/** The action `show_permissions`. */
export const showPermissionsAction = defineAction<typeof showPermissionsConfig, never, SiteDependencies>({
  type: 'generic',
  title: 'Show permissions',
  description: 'Shows what the credentials may see at the site: permissions, event types and subject groups.',
  config: showPermissionsConfig,
  executable: true,
  run: showPermissions,
});
