import test from 'ava';
import type { SiteSimulator } from '@ranger-relay/simulators';
import { type ExportedContent, type Json, leg, reference, uuid } from '../bundle/exported/test/exported-bundle.ts';
import { writeTestBundle } from '../test/bundle.ts';
import { type Harness, openHarness } from '../test/harness.ts';
import { findingCodes } from './finding.ts';
import {
  content,
  editFields,
  eventType,
  inactiveChoice,
  leave,
  observed,
  prepared,
  subjectOf,
  weather,
} from './test/prepared.ts';

test('a prepared site takes all patrols: no finding, exit 0, nothing written', async (t) => {
  const { here, rehearse } = await prepared(t, content());
  here.writes();
  const { code, json } = await rehearse();
  t.like(json(), { ok: true, verdict: '2 patrols would import.', findings: [] });
  t.is(code, 0);
  t.deepEqual(here.writes(), []);
});

const withRetired = { members: [...(leg['members'] as Json[]), { employee_uuid: uuid('52'), leader: false }] };

interface Fault {
  readonly what: string;
  readonly code: (typeof findingCodes)[number];
  readonly level: 'blocks' | 'warning';
  readonly count: number;
  /** Affected patrols. */
  readonly patrols: number;
  readonly example?: RegExp;
  readonly message?: RegExp;
  readonly bundle?: ExportedContent;
  readonly site?: (site: SiteSimulator) => void;
  readonly args?: readonly string[];
  /** Further findings that the fault has. */
  readonly also?: readonly string[];
}

const ordinary = ['--site-token', 'ordinary-token'];
const faults: readonly Fault[] = [
  {
    what: 'the preview feature is off',
    code: 'feature_flag',
    level: 'blocks',
    count: 1,
    patrols: 2,
    site: (site) => site.set({ patrol_schemas: 'off' }),
  },
  {
    what: 'the token may not relate events to segments',
    code: 'permissions',
    level: 'blocks',
    count: 1,
    patrols: 2,
    example: /add_eventrelatedsegments is missing/,
    args: ordinary,
    site: (site) => site.tokens.revoke(site.ordinaryToken, 'activity.add_eventrelatedsegments'),
  },
  {
    what: 'the token may not create events of a category',
    code: 'permissions',
    level: 'blocks',
    count: 1,
    patrols: 1,
    example: /add_monitoring, for animals\./,
    args: ordinary,
    site: (site) => site.tokens.revoke(site.ordinaryToken, 'activity.add_monitoring'),
  },
  {
    what: 'the site shows no permissions',
    code: 'permissions',
    level: 'warning',
    count: 4,
    patrols: 0,
    args: ordinary,
    site: (site) => site.set({ user_permissions: 'absent' }),
  },
  {
    what: 'a patrol type is inactive',
    code: 'patrol_types',
    level: 'blocks',
    count: 1,
    patrols: 2,
    example: /patrol_foot\] is inactive: 2 patrols, first patrols\.json: patrols\[0\]/,
    site: (site) => site.edit('types', site.state().types[0]?.id ?? '', { is_active: false }),
  },
  {
    what: 'a leg names a transport that the bundle lacks',
    code: 'patrol_types',
    level: 'warning',
    count: 1,
    patrols: 1,
    bundle: content({}, { transport_uuid: uuid('fe') }),
    also: ['bundle_warnings'],
  },
  {
    what: 'the field of an attribute is deprecated',
    code: 'segment_schema',
    level: 'blocks',
    count: 1,
    patrols: 1,
    example: /field ext_weather is deprecated/,
    site: (site) => editFields(site, (fields) => Object.assign(fields['ext_weather'] as Json, { deprecated: true })),
  },
  {
    what: 'fields of every patrol are missing',
    code: 'segment_schema',
    level: 'blocks',
    count: 2,
    patrols: 2,
    example: /field station is missing/,
    site: (site) =>
      editFields(site, (fields) => {
        delete fields['station'];
        delete fields['ext_weather'];
      }),
  },
  {
    what: 'a leader has no subject',
    code: 'subjects',
    level: 'blocks',
    count: 1,
    patrols: 2,
    example: /Asha Ranger \(007\), a leader, is missing/,
    site: (site) => site.edit('subjects', subjectOf(site, 'Asha').id, { additional: {} }),
  },
  {
    what: 'the id of a member is written without dashes',
    code: 'subjects',
    level: 'blocks',
    count: 1,
    patrols: 2,
    example: /in another spelling/,
    site: (site) =>
      site.edit('subjects', subjectOf(site, 'Asha').id, {
        additional: { ext_member_id: uuid('51').replaceAll('-', '') },
      }),
  },
  {
    what: 'an active member is in no member group',
    code: 'subjects',
    level: 'blocks',
    count: 1,
    patrols: 2,
    example: /cannot be named/,
    site: (site) => leave(site, 'Asha'),
  },
  {
    what: 'an inactive member is in no member group',
    code: 'inactive_members',
    level: 'blocks',
    count: 1,
    patrols: 1,
    example: /Old Ranger \(008\)/,
    bundle: content({}, withRetired),
    site: (site) => leave(site, 'Old'),
  },
  {
    what: 'an inactive member is in a member group',
    code: 'inactive_members',
    level: 'warning',
    count: 1,
    patrols: 1,
    bundle: content({}, withRetired),
  },
  {
    what: 'a team is inactive',
    code: 'teams',
    level: 'blocks',
    count: 1,
    patrols: 1,
    example: /team "Alpha" is inactive/,
    site: (site) => site.seed({ teams: [{ value: 'a', display: ' alpha', is_active: false }] }),
  },
  {
    what: 'a team that only patrols name is missing',
    code: 'teams',
    level: 'blocks',
    count: 1,
    patrols: 1,
    example: /team "EXT team 00000082" is missing/,
    bundle: content({ team_uuid: uuid('82') }),
  },
  {
    what: 'the event type of a category is inactive',
    code: 'event_types',
    level: 'blocks',
    count: 1,
    patrols: 1,
    example: /animals\.: ext-ca-import_animals is inactive/,
    site: (site) => site.seed({ newEventTypes: [eventType({ is_active: false })] }),
  },
  {
    what: 'a category has no event type of this area',
    code: 'event_types',
    level: 'blocks',
    count: 1,
    patrols: 1,
    site: (site) => site.seed({ newEventTypes: [eventType({ value: `${uuid('cb')}_animals` })] }),
  },
  {
    what: 'waypoints of several observations lack a type for collections',
    code: 'collection_type',
    level: 'warning',
    count: 1,
    patrols: 1,
    bundle: content({}, { waypoints: [observed('animals.', 'animals.')] }),
  },
  {
    what: 'the timezone is another',
    code: 'timezone',
    level: 'blocks',
    count: 1,
    patrols: 2,
    args: ['--timezone', 'Asia/Manila'],
  },
  {
    what: 'nobody chose the timezone',
    code: 'timezone',
    level: 'warning',
    count: 1,
    patrols: 2,
    message: /Africa\/Nairobi of the bundle was chosen by nobody/,
    bundle: content({}, {}, { manifest: { timezone: { name: 'Africa/Nairobi', source: 'default' } } }),
  },
  {
    what: 'an option is inactive on the site',
    code: 'choices',
    level: 'warning',
    count: 1,
    patrols: 1,
    example: /option of patrol_weather "Label" \[dry\] is inactive/,
    site: (site) => inactiveChoice(site, 'patrol_weather'),
  },
  {
    what: 'a mandate that patrols use is inactive in the bundle',
    code: 'choices',
    level: 'warning',
    count: 1,
    patrols: 2,
    example: /mandate "Label" \[security\] is inactive/,
    bundle: content({}, {}, { reference: { mandates: [{ ...reference.mandates[0], active: false }] } }),
  },
  {
    what: 'a value that no list has',
    code: 'attribute_values',
    level: 'warning',
    count: 1,
    patrols: 1,
    example: /"weather" has no option for the text "hail"/,
    bundle: content({ attributes: weather('hail') }),
  },
  {
    what: 'an attribute that patrols use is inactive',
    code: 'attribute_values',
    level: 'warning',
    count: 1,
    patrols: 1,
    bundle: content(
      {},
      {},
      {
        reference: { patrol_attributes: [{ ...reference.patrol_attributes[0], active: false }] },
      },
    ),
  },
  {
    what: 'a leg goes beyond its patrol',
    code: 'leg_span',
    level: 'warning',
    count: 1,
    patrols: 1,
    bundle: content({}, { start_date: '2026-03-02', end_date: '2026-03-05' }),
  },
  {
    what: 'of days only the date is known',
    code: 'time_coverage',
    level: 'warning',
    count: 3,
    patrols: 0,
    bundle: content({}, {}, { manifest: { time_coverage: { leg_days: 4, date_only: 3 } } }),
  },
  {
    what: 'labels are missing in the language',
    code: 'language',
    level: 'warning',
    count: 2,
    patrols: 0,
    bundle: content({}, {}, { manifest: { languages: [{ code: 'en', default: true, labels: 7, missing: 2 }] } }),
  },
  {
    what: 'the exporter warned',
    code: 'bundle_warnings',
    level: 'warning',
    count: 1,
    patrols: 0,
    bundle: content({}, {}, { manifest: { warnings: ['a file was damaged'] } }),
  },
  {
    what: 'the choices cannot be read',
    code: 'check_failed',
    level: 'blocks',
    count: 1,
    patrols: 2,
    example: /^choices$/,
    args: ordinary,
    site: (site) => site.tokens.revoke(site.ordinaryToken, 'choices.view_choice'),
  },
];

for (const { what, code, level, count, patrols, example, message, bundle, site, args = [], also = [] } of faults)
  test(`${what}: found as ${code}, which ${level === 'blocks' ? 'blocks' : 'warns'}, counted, and nothing else`, async (t) => {
    const { here, rehearse } = await prepared(t, bundle ?? content());
    site?.(here.site);
    const call = await rehearse(...args);
    const { findings, patrols: verdict } = call.json() as { findings: Json[]; patrols: Json };
    t.is(call.code, level === 'blocks' ? 3 : 0, call.err);
    const finding = findings.find((each) => each['code'] === code) ?? {};
    t.like(finding, { level, count, patrols }, call.out);
    t.deepEqual(findings.map((each) => each['code']).toSorted(), [code, ...also].toSorted());
    t.is(verdict['would_not'], level === 'blocks' ? patrols : 0);
    if (example !== undefined) t.regex(String((finding['examples'] as string[])[0]), example);
    if (message !== undefined) t.regex(String(finding['message']), message);
    for (const text of ['message', 'remedy', 'who']) t.truthy(finding[text]);
  });

test('under another word the identifiers of that word are looked for', async (t) => {
  const { here, rehearse } = await prepared(t, content(), '--ext-word', 'word');
  here.site.seed({ newEventTypes: [eventType({ value: 'word-ca-import_animals' })] });
  t.is((await rehearse('--ext-word', 'word')).code, 0);
  const { findings } = (await rehearse()).json() as { findings: Json[] };
  t.deepEqual(
    findings.map(({ code, level }) => [code, level]),
    [
      ['segment_schema', 'blocks'],
      ['subjects', 'blocks'],
      ['event_types', 'blocks'],
      ['subjects', 'warning'],
    ],
  );
  t.regex(String(findings.at(-1)?.['message']), /set ext\.word: word/);
});

test('every kind of finding is planted here', (t) => {
  t.deepEqual([...new Set(faults.map(({ code }) => code))].toSorted(), findingCodes.toSorted());
});

test('a bundle of our own format says that its observations are not visible, and has the same findings', async (t) => {
  const here: Harness = await openHarness(t, (folder) => writeTestBundle(folder));
  await here.sync();
  const { code, out } = await here.run('rehearse', '--bundle', here.bundle, ...here.onSite);
  t.is(code, 0, out);
  t.regex(out, /warning event_types: Not visible/);
});

test('without a bundle that can be read, or without the site, it could not run: exit 1', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder));
  t.is((await here.run('rehearse', '--bundle', here.folder, ...here.onSite)).code, 1);
  t.is((await here.run('rehearse', '--bundle', here.bundle, ...here.onSite, '--site-token', 'wrong')).code, 1);
});
