import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import type { SiteSimulator } from '@ranger-relay/simulators';
import {
  exportedBundle,
  type ExportedContent,
  type Json,
  leg,
  patrol,
  reference,
  uuid,
} from '../../bundle/exported/test/exported-bundle.ts';
import { writeTestBundle } from '../../test/bundle.ts';
import { type Call, openHarness } from '../../test/harness.ts';

/** A waypoint with observations of these categories. */
export const observed = (...categories: readonly string[]): Json => ({
  uuid: uuid('f7'),
  observation_groups: [
    { uuid: uuid('f8'), observations: categories.map((category_hkey) => ({ uuid: uuid('f9'), category_hkey })) },
  ],
});

/** Values of the attribute "weather". */
export const weather = (value: unknown) => [{ attribute_uuid: uuid('91'), key: 'weather', value }];

const span = { start_date: '2026-03-02', end_date: '2026-03-02' };

/** A patrol that needs a bit of everything, beside one that needs little. */
const full = { ...patrol, uuid: uuid('d2'), ...span, team_uuid: uuid('81'), attributes: weather('dry') };
const fullLeg = { ...leg, uuid: uuid('e2'), ...span, waypoints: [observed('animals.')] };

const [ranger] = reference.employees;
const retired = { ...ranger, uuid: uuid('52'), id: '008', given_name: 'Old', active: false };

/** A bundle of two patrols, in which members of the fuller one, of its leg and files are different. */
export const content = (changes: Json = {}, ofLeg: Json = {}, parts: ExportedContent = {}): ExportedContent => ({
  ...parts,
  manifest: {
    counts: {},
    languages: [{ code: 'en', default: true, labels: 9, missing: 0 }],
    ...(parts.manifest as Json),
  },
  reference: { employees: [ranger, retired], ...(parts.reference as Json) },
  patrols: { patrols: [patrol, { ...full, ...changes, legs: [{ ...fullLeg, ...ofLeg }] }] },
});

/** The event type of the category that the bundle observes. */
export const eventType = (more: Json = {}) => ({
  id: 'type-1',
  value: 'ext-ca-import_animals',
  display: 'Animals',
  category: 'monitoring',
  ...more,
});

/** A site on which everything of the bundle was prepared. */
export const prepared = async (t: ExecutionContext, parts: ExportedContent, ...options: readonly string[]) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder));
  const { folder } = await exportedBundle(t, parts);
  here.site.seed({
    teams: [{ value: 'alpha', display: 'Alpha' }],
    categories: [{ id: 'category-1', value: 'monitoring', display: 'Monitoring' }],
    newEventTypes: [eventType()],
  });
  const made = await here.run(
    'patrol-datamodel',
    '--bundle',
    folder,
    ...here.onSite,
    '--checklist',
    join(here.folder, 'c.md'),
    ...options,
  );
  t.is(made.code, 0, made.err);
  return {
    here,
    rehearse: (...more: readonly string[]): Promise<Call> =>
      here.run('rehearse', '--bundle', folder, ...here.onSite, '--output', 'json', ...more),
  };
};

/** The subject of an employee. */
export const subjectOf = (site: SiteSimulator, name: string): { readonly id: string } => {
  const found = site.state().subjects.find((subject) => subject.name.startsWith(name));
  if (found === undefined) throw new Error(`no subject ${name}`);
  return found;
};

/** Takes somebody out of all groups. */
export const leave = (site: SiteSimulator, name: string): void => {
  const { id } = subjectOf(site, name);
  for (const group of site.state().groups)
    site.edit('groups', group.id, { subjects: group.subjects.filter((member) => member !== id) });
};

/** Makes the options of a field inactive. */
export const inactiveChoice = (site: SiteSimulator, field: string): void => {
  for (const choice of site.state().choices)
    if (choice.field === field) site.edit('choices', choice.id, { is_active: false });
};

/** Changes the fields of the form. */
export const editFields = (site: SiteSimulator, change: (properties: Json) => void): void => {
  const { form } = site.state();
  const json = structuredClone(form) as { json: { properties: Json } };
  change(json.json.properties);
  site.seed({ form: json as unknown as NonNullable<typeof form> });
};
