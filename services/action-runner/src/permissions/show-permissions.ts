import { defineAction, type ActionContext } from '@ranger-relay/actions';
import type { SiteReader } from '@ranger-relay/site';
import { readList } from '../mapping/read.ts';
import type { SiteTools } from '../tools.ts';
import { categorySlugs, eventCategories } from './categories.ts';
import { showPermissionsConfig, type ShowPermissionsConfig } from './config.ts';
import { readCategories, readEventTypes } from './event-types.ts';
import { groupIds, subjectGroups } from './groups.ts';
import { asked, both, section, sorted } from './section.ts';
import { globalPermissions, userDetails } from './user.ts';

type Context = Pick<
  ActionContext<ShowPermissionsConfig, unknown, SiteTools>,
  'config' | 'configOf' | 'integration' | 'signal' | 'tools'
>;

const groupQuery = { flat: 'false', include_hidden: 'true', isvisible: 'true' };

const dataOf = async (reader: SiteReader, { config, signal }: Context): Promise<object> => {
  const [me, types, categories, groups] = await Promise.all([
    asked(signal, () => reader.get('user/me')),
    asked(signal, () => readEventTypes(reader)),
    asked(signal, () => readCategories(reader)),
    asked(signal, async () => readList(await reader.get('subjectgroups', groupQuery)).rows),
  ]);
  const kinds = both(categories, types);
  const withSubgroups = config.include_subjects_from_subgroups_in_parent;
  return {
    'User Details': section(me, userDetails),
    'Global Permissions': section(me, globalPermissions),
    'Event Categories': section(both(kinds, me), ([[c, t], user]) => eventCategories(c, t, user)),
    'Event Type Slugs': section(types, (all) => sorted(all.map(({ slug }) => slug))),
    'Event Category Slugs': section(kinds, ([c, t]) => categorySlugs(c, t)),
    'Subject Groups': section(groups, (rows) => subjectGroups(rows, withSubgroups)),
    'Subject Group UUIDs': section(groups, groupIds),
  };
};

/** Shows what the credentials of the integration may see at the site; a section that fails says why in its place. */
export const showPermissions = async (context: Context): Promise<object> => {
  const { tools, integration, signal } = context;
  const reader = tools.openReader(integration, await context.configOf('auth'), signal);
  return { ui: { widget: 'DynamicJSONCard' }, data: await dataOf(reader, context) };
};

/** The action `show_permissions`. */
export const showPermissionsAction = defineAction<typeof showPermissionsConfig, never, SiteTools>({
  type: 'generic',
  title: 'Show permissions',
  description: 'Shows what the credentials may see at the site: permissions, event types and subject groups.',
  config: showPermissionsConfig,
  executable: true,
  run: showPermissions,
});
