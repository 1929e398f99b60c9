import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { runRecordSchema } from '@ranger-relay/contracts';
import { employee, id, named, writeTestBundle, type TestBundle } from './test/bundle.ts';
import { openHarness, type Harness } from './test/harness.ts';

// Rows of the table of edge cases that show on the site or in the checklist (bundle contract, 5); what a bundle is refused for is tested beside its reader.

const harness = (t: ExecutionContext, bundle: TestBundle): Promise<Harness> =>
  openHarness(t, (folder) => writeTestBundle(folder, bundle));
const choice = ({ site }: Harness, value: string) => site.state().choices.find((each) => each.value === value);
const station = (names: Record<string, string>) => [{ uuid: id('c1'), is_active: true, names }];
const mandates = (label: string, own: string) => [
  { uuid: id('d1'), key: 'routine', ...named(label) },
  { uuid: id('d2'), key: own, ...named(own) },
];

test('names with |, backticks, brackets and markup are escaped in the checklist', async (t) => {
  const teams = [{ uuid: id('ab'), key: 'x', mandate_uuid: null, ...named('A|B `c` <script>[d](e)</script>\n# f') }];
  const here = await harness(t, { teams });
  t.is((await here.sync()).code, 0);
  t.true(
    here.read('checklist.md').includes('"A\\|B \\`c\\` &lt;script&gt;\\[d\\]\\(e\\)&lt;/script&gt; \\# f"'),
    here.read('checklist.md'),
  );
});

test('a label that was removed since gives way to the fallback, which is patched', async (t) => {
  const languages = [
    { code: 'en', name: 'English', is_default: true },
    { code: 'fr', name: 'French', is_default: false },
  ];
  const here = await harness(t, { languages, stations: station({ en: 'Post', fr: 'Poste' }) });
  await here.sync();
  here.writes();
  for (const [names, body] of [
    [{ fr: 'Poste' }, { display: 'Poste' }],
    [{}, { display: 'Unnamed station c1c1c1c1', is_active: false }],
  ] as const) {
    await writeTestBundle(here.bundle, { languages, stations: station(names) });
    t.is((await here.sync()).code, 0);
    t.deepEqual(here.writes(), [{ method: 'PATCH', path: `choices/${choice(here, id('c1'))?.id}/`, body }]);
  }
});

test('of a value that two areas name the last run’s display wins and the one before is in the record; what only the other names is left and counted', async (t) => {
  const here = await harness(t, { mandates: mandates('Routine', 'only_first') });
  await here.sync();
  const left = choice(here, 'only_first');
  const other = join(here.folder, 'other', 'export');
  await writeTestBundle(other, {
    area: { uuid: id('bb'), id: '052', name: 'Other Area' },
    mandates: mandates('Daily', 'only_second'),
    employees: [employee('f2')],
  });
  const { code, json } = await here.sync('--bundle', other, '--output', 'json');
  t.is(code, 0);
  t.is(choice(here, 'routine')?.display, 'Daily');
  const { changes } = runRecordSchema.parse(JSON.parse(readFileSync(String(json()['record']), 'utf8')));
  t.like(
    changes.find((change) => change.kind === 'choice' && change.value === 'routine'),
    { action: 'updated', before: { display: 'Routine' } },
  );
  t.deepEqual(choice(here, 'only_first'), left);
  t.is(json()['options_not_in_bundle'], 1);
});

test('an employment that ends before its start has ended: a warning, and nobody is planned', async (t) => {
  const employees = [employee('f1'), employee('f2', { employment: { start: '2024-01-01', end: '2023-01-01' } })];
  const here = await harness(t, { employees });
  const { code, err } = await here.sync();
  t.is(code, 0);
  t.regex(err, /^Warning: employees\.jsonl:2: the employment ends 2023-01-01, before its start/m);
  t.deepEqual(
    here.site.state().subjects.map(({ name }) => name),
    ['Ranger f1'],
  );
});

test('a part of a name without a visible character is left out, and two mandates whose keys have no Latin letter stay two', async (t) => {
  const here = await harness(t, {
    employees: [employee('f1', { given_name: '\u200B' })],
    mandates: ['патруль', 'охрана'].map((key, at) => Object.assign(named(key), { uuid: id(`d${at + 1}`), key })),
  });
  t.is((await here.sync()).code, 0);
  t.is(here.site.state().subjects[0]?.name, 'f1');
  const mandates = here.site.state().choices.filter(({ field }) => field === 'patrol_mandate');
  t.deepEqual(new Set(mandates.map(({ display }) => display)), new Set(['патруль', 'охрана']));
});

test('patrol classes are offered in alphabetical order, whatever their order in the bundle', async (t) => {
  const keys = ['mixed', 'air', 'ground', 'marine'];
  const here = await harness(t, { patrol_classes: keys.map((key) => ({ key, ...named(key) })) });
  t.is((await here.sync()).code, 0);
  const order = keys.toSorted().map((value) => choice(here, value)?.ordernum);
  t.deepEqual(order, [0, 1, 2, 3]);
});
