import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { syncSummarySchema } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import test from 'ava';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { employee, id, named, patrol, type TestBundle, writeTestBundle } from '../test/bundle.ts';
import { openHarness } from '../test/harness.ts';
import type { Requirement } from '../bundle/patrols/requirements.ts';
import type { Finding } from './finding.ts';
import { findingItems, isBlocked, verdictAfter } from './rehearse.ts';

const attributes = [
  {
    uuid: id('e1'),
    key: 'weather',
    type: 'LIST',
    ...named('Weather'),
    options: [
      { uuid: id('e2'), key: 'dry', order: 1, ...named('Dry') },
      { uuid: id('e3'), key: 'rain', order: 2, ...named('Rain', false) },
    ],
  },
  { uuid: id('e4'), key: 'crew', type: 'NUMERIC', ...named('Crew'), options: [] },
];

const withAttributes = (attributes: object, more: object = {}) =>
  patrol(['f1'], { attributes, legs: patrol(['f1'])['legs'], ...more });

const clean: TestBundle = {
  patrol_attributes: attributes,
  patrols: [withAttributes({ weather: 'dry', crew: 4 })],
};

const odd: TestBundle = {
  ...clean,
  mandates: [{ uuid: id('d1'), key: 'routine', ...named('Routine', false) }],
  patrols: [
    withAttributes({ weather: 'hail', mood: 1 }),
    withAttributes(
      { crew: 'many', weather: 'rain' },
      {
        uuid: id('a3'),
        class_key: 'camel',
        legs: [Object.assign({}, (patrol(['f9'])['legs'] as object[])[0], { uuid: id('a4') })],
      },
    ),
  ],
  employees: [employee('f1')],
};

test('a run ends with the verdict; summary, checklist and JSON carry it', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, clean));
  t.regex((await here.dry()).out, /^Import of the patrols after the run: 1 patrol would import\.$/m);
  t.regex(here.read('checklist.md'), /Import of the patrols after the run: 1 patrol would import\./);
  const file = join(here.folder, 'summary.json');
  const { code, out } = await here.run(
    '--summary-file',
    file,
    'patrol-datamodel',
    '--bundle',
    here.bundle,
    ...here.onSite,
  );
  t.is(code, 0);
  t.is(out.split('\n').at(-1), 'Import of the patrols: 1 patrol would import.');
  t.is(syncSummarySchema.parse(JSON.parse(readFileSync(file, 'utf8'))).verdict, '1 patrol would import.');
  t.regex(here.read('checklist.md'), /Import of the patrols: 1 patrol would import\./);
  t.is((await here.sync('--output', 'json')).json()['verdict'], '1 patrol would import.');
  const { json } = await here.dry('--output', 'json');
  t.is(json()['verdict'], '1 patrol would import.', 'a dry run that would write nothing');
});

test('an approved run ends with the verdict too, where the bundle of its plan still lies', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, clean));
  const plan = join(here.folder, 'plan.json');
  const call = ['apply', '--plan', plan, ...here.onSite, '--output', 'json'];
  await here.dry('--plan-out', plan);
  t.is((await here.run(...call)).json()['verdict'], '1 patrol would import.');
  t.regex(here.read('checklist.md'), /Import of the patrols: 1 patrol would import\./);
  await writeTestBundle(here.bundle, odd);
  const { code, json } = await here.run(...call);
  t.is(code, 0);
  t.is(json()['verdict'], null);
});

test('what is in the way of the import never changes the exit of a run, and stands in the checklist with its place', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, odd));
  const { code, out } = await here.sync();
  t.is(code, 0);
  t.is(
    out.split('\n').at(-1),
    'Import of the patrols: 1 patrol would import, 1 would not: subjects. Details: sync-tool rehearse',
  );
  const checklist = here.read('checklist.md').replaceAll('\\', '');
  const admin = checklist.slice(checklist.indexOf('Admin of the external system'));
  for (const words of [
    /mandate "Routine" \[routine\] is inactive: 2 patrols, first patrols\.jsonl:1/,
    /class camel is not in the bundle: 1 patrol, first patrols\.jsonl:2/,
    /option of patrol_weather "Rain" \[rain\] is inactive: 1 patrol, first patrols\.jsonl:2/,
    /has no option for the text "hail" \(patrols\.jsonl:1\)/,
    /the attribute "mood" does not exist \(patrols\.jsonl:1\)/,
    /the attribute "crew" takes numbers, not a text \(patrols\.jsonl:2\)/,
  ])
    t.regex(admin, words);
  t.regex(checklist, new RegExp(`employee ${id('f9')}, whom the bundle lacks is missing: 1 patrol`));
});

test('verify says "everything" only where the patrols would import with all that they have', async (t) => {
  const everything = /The site has everything that the bundle asks for/;
  for (const [bundle, isClean] of [
    [clean, true],
    [odd, false],
  ] as const) {
    const here = await openHarness(t, (folder) => writeTestBundle(folder, bundle));
    await here.sync();
    const { code, out } = await here.run('verify', '--bundle', here.bundle, ...here.onSite);
    t.is(code, 0, out);
    t.is(everything.test(out), isClean, out);
    t.regex(out, /\nImport of the patrols: 1 patrol would import/);
  }
});

test('verify names what keeps patrols from importing and what the form does not show, in a sentence each and in numbers', async (t) => {
  const team = { uuid: id('a1'), key: 'alpha', mandate_uuid: null, ...named('Alpha') };
  const bundle = { ...odd, teams: [team], patrols: [withAttributes({ weather: 'hail' }, { team_uuid: id('a1') })] };
  const here = await openHarness(t, (folder) => writeTestBundle(folder, bundle));
  await here.sync();
  const verify = ['verify', '--bundle', here.bundle, ...here.onSite];
  const { code, out } = await here.run(...verify);
  t.is(code, 0);
  t.regex(
    out,
    /\nThe site has what a run writes\.\nIn the way of the import of patrols: teams\.\nImported, and not shown in the form of the site: choices, attribute_values\.\n/,
  );
  const patrols = { total: 1, would_import: 0, would_not: 1 };
  for (const call of [here.run(...verify, '--output', 'json'), here.sync('--output', 'json')])
    t.deepEqual((await call).json()['patrols'], patrols);
});

const refuse = (): never => {
  throw new RelayError('site_unauthorized', { details: { target: 'GET site/user/me' } });
};

test('a run that writes nothing, and verify, read no list a second time for the verdict', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, clean));
  await here.sync();
  for (const call of [() => here.sync(), () => here.run('verify', '--bundle', here.bundle, ...here.onSite)]) {
    const before = here.site.log.entries().length;
    t.regex((await call()).out, /1 patrol would import/);
    const reads = here.site.log.entries().slice(before);
    for (const list of ['subjects/', 'choices/', 'types/', 'user/me']) {
      const paths = reads.map(({ path, query }) => `${path}?${query}`).filter((path) => path.includes(list));
      t.is(new Set(paths).size, paths.length, paths.join('\n'));
    }
  }
});

test('a site that fails after a run leaves the verdict unknown, and fails nothing', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, clean));
  const bundle = await readBundle(here.bundle);
  const site = { probe: refuse, patrolSchemas: refuse } as unknown as Site;
  const desired = {
    types: [],
    fields: [],
    choices: new Map(),
    people: { subjects: [], logins: new Set(), known: new Set() },
  };
  const sources = { bundle, desired, label: () => '', language: 'en', timezone: undefined, word: 'ext' };
  const verdict = await verdictAfter(site, { ...sources } as never);
  t.regex(verdict?.sentence ?? '', /^Not known: /);
  t.true(verdict && isBlocked(verdict));
});

test('of a site that does not answer, a rehearsal says so, and nothing of the patrols', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, clean));
  await here.site.close();
  const { code, json } = await here.run('rehearse', '--bundle', here.bundle, ...here.onSite, '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'site_unavailable');
  t.is(json()['verdict'], undefined);
});

test('a dry run knows that a member who is made active again can be named', async (t) => {
  const here = await openHarness(t, (folder) => writeTestBundle(folder, clean));
  t.is((await here.sync()).code, 0);
  const [subject] = here.site.state().subjects;
  here.site.edit('subjects', subject?.id ?? '', { is_active: false });
  t.is((await here.dry('--output', 'json')).json()['verdict'], '1 patrol would import.');
});

const idOf = (examples: readonly string[], affects: Finding['affects'] = 'none'): string | undefined => {
  const about = { code: 'choices', level: 'warning', who: 'ext_admin', message: 'm', remedy: 'r' } as const;
  const findings = [{ ...about, count: examples.length, examples, affects }];
  return findingItems({ patrols: 1, blocked: 0, sentence: '', findings }, new Set())[0]?.id;
};

const option = (key: string, patrols: number): Requirement => ({
  kind: 'option',
  key,
  patrols,
  first: `patrols.jsonl:${patrols}`,
  leads: false,
});

test('what a person accepted on the checklist is asked again once there is more of it, and not when other patrols need the same', (t) => {
  t.is(idOf(['a']), idOf(['a']));
  t.not(idOf(['a']), idOf(['a', 'b']));
  t.is(idOf(['a: 3 patrols'], [option('a', 3)]), idOf(['a: 5 patrols'], [option('a', 5)]));
  t.not(idOf(['a: 3 patrols'], [option('a', 3)]), idOf(['a: 3 patrols'], [option('a', 3), option('b', 1)]));
});
