import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { writeContractSample } from './bundle/sample/contract-sample.ts';
import { employee, id, writeTestBundle, type TestBundle } from './test/bundle.ts';
import { testShell } from './test/shell.ts';
import { openHarness, runTool, type Harness } from './test/harness.ts';

const sample = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));
const harness = (t: ExecutionContext, bundle: TestBundle): Promise<Harness> =>
  openHarness(t, (folder) => writeTestBundle(folder, bundle));

/** Calls `patrol-datamodel` with a configuration file. */
const withConfig = (here: Harness, text: string, ...more: readonly string[]) => {
  mkdirSync(join(here.folder, 'etc'), { recursive: true });
  const file = join(here.folder, 'etc', 'sync.yaml');
  writeFileSync(file, text);
  return here.run('patrol-datamodel', '--config', file, ...more);
};

const siteSection = ({ site }: Harness): string => `site:\n  endpoint: ${site.url}\n  token: ${site.token}\n`;

test('a configuration file names bundle, site and timezone; a relative bundle path is relative to the file', async (t) => {
  const here = await sample(t);
  const { code, err } = await withConfig(
    here,
    `bundle:\n  path: ../export\next:\n  timezone: UTC\n${siteSection(here)}`,
  );
  t.is(code, 0, err);
  t.is(here.writes().length, 14);
  t.deepEqual(
    here.files().filter((name) => name === 'checklist.md'),
    ['checklist.md'],
  );
});

test('a flag beats the configuration file, and only when it is given', async (t) => {
  const here = await sample(t);
  const wrong =
    'bundle:\n  path: /nowhere\nsite:\n  endpoint: site.invalid\n  token: wrong\next:\n  timezone: Asia/Manila\n';
  t.is((await withConfig(here, wrong, '--bundle', here.bundle, ...here.onSite)).code, 1);
  const { code, err } = await withConfig(here, wrong, '--bundle', here.bundle, ...here.onSite, '--timezone', 'UTC');
  t.is(code, 0, err);
});

test('the timezone of the configuration file is an assertion too', async (t) => {
  const here = await sample(t);
  const { code, err } = await withConfig(
    here,
    `ext:\n  timezone: Asia/Manila\n${siteSection(here)}`,
    '--bundle',
    here.bundle,
  );
  t.is(code, 1);
  t.regex(err, /EXT_TIMEZONE/);
});

test('ext.timezone_variable names the variable of the exporter in messages', async (t) => {
  const here = await sample(t);
  const { err } = await withConfig(
    here,
    `ext:\n  timezone: Asia/Manila\n  timezone_variable: W_ZONE\n${siteSection(here)}`,
    '--bundle',
    here.bundle,
  );
  t.regex(err, /the environment variable W_ZONE set/);
});

test('--timezone other than the bundle’s stops with its reason before the site is asked', async (t) => {
  const here = await sample(t);
  const { code, json } = await here.sync('--timezone', 'Asia/Manila', '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'timezone_mismatch');
  t.deepEqual(here.site.log.entries(), []);
});

test('--dry-run with a configuration file alone sends no write', async (t) => {
  const here = await sample(t);
  const file = join(here.folder, 'sync.yaml');
  writeFileSync(file, `bundle:\n  path: export\n${siteSection(here)}`);
  t.is((await here.run('--dry-run', 'patrol-datamodel', '--config', file)).code, 0);
  t.deepEqual(here.writes(), []);
  t.true(here.files().includes('checklist.md'));
});

test('--dry-run logs every write instead of sending it', async (t) => {
  const here = await sample(t);
  here.site.seed({ choices: [{ field: 'patrol_mandate', value: 'routine', display: 'Old' }] });
  const { code, out } = await here.dry();
  t.is(code, 0);
  t.deepEqual(
    out.split('\n').filter((line) => /^[+~-] /.test(line)),
    [
      '+ patrol type patrol_foot "Foot"',
      '+ patrol type patrol_boat "Boat" (inactive)',
      '+ universal patrol fields',
      '~ choice patrol_mandate routine: display "Old" → "Routine"',
      `+ choice patrol_station ${id('c1')} "Post One"`,
      `+ choice patrol_station ${id('c2')} "Unnamed station c2c2c2c2" (inactive)`,
      `+ choice patrol_station ${id('c3')} "Unnamed station c3c3c3c3"`,
      '+ choice patrol_class ground "Ground"',
      '+ choice patrol_weather dry "Dry"',
      '+ choice patrol_weather rain "Rain"',
      '+ subject "Ranger One"',
      '+ subject "Ranger Three"',
      '+ subject "Ranger Four" (inactive)',
      '+ roster "Rangers": 3 to join',
    ],
  );
  t.deepEqual(here.writes(), []);
});

for (const [what, without] of [
  ['bundle', '--bundle'],
  ['address', '--site-endpoint'],
  ['token', '--site-token'],
] as const)
  test(`without the ${what} the call is wrong: exit 2, and the option that is missing is named`, async (t) => {
    const here = await sample(t);
    const all = ['--bundle', here.bundle, ...here.onSite];
    const at = all.indexOf(without);
    const { code, err } = await here.run('patrol-datamodel', ...all.toSpliced(at, 2));
    t.is(code, 2);
    t.true(err.includes(without));
    const asJson = await here.run('patrol-datamodel', ...all.toSpliced(at, 2), '--output', 'json');
    t.is(asJson.code, 2);
    t.is(asJson.json()['reason'], 'usage');
    t.deepEqual(here.site.log.entries(), []);
  });

for (const args of [
  ['--unknown'],
  ['--max-deactivations', 'many'],
  ['--max-deactivations', '-1'],
  ['--output', 'xml'],
  ['surplus'],
])
  test(`${args.join(' ')} is a wrong call: exit 2, nothing is asked`, async (t) => {
    const here = await sample(t);
    t.is((await here.sync(...args)).code, 2);
    t.deepEqual(here.site.log.entries(), []);
  });

test('an address without scheme means https; one with /api/v1.0/ is cut', async (t) => {
  const here = await sample(t);
  const { json } = await here.sync('--site-endpoint', here.site.url.replace('http://', ''), '--output', 'json');
  t.true(['site_unavailable', 'site_untrusted'].includes(String(json()['reason'])));
  t.deepEqual(here.site.log.entries(), []);
  t.is((await here.sync('--site-endpoint', `${here.site.url}/api/v1.0/`)).code, 0);
});

test('the token may come from a file, whose last line break is cut, or from SITE_TOKEN; the flag wins', async (t) => {
  const here = await sample(t);
  const file = join(here.folder, 'token.txt');
  writeFileSync(file, `${here.site.token}\r\n`);
  const args = ['--dry-run', 'patrol-datamodel', '--bundle', here.bundle, '--site-endpoint', here.site.url];
  t.is((await here.run(...args, '--site-token-file', file)).code, 0);
  t.is((await runTool(testShell({ SITE_TOKEN: here.site.token }), args)).code, 0);
  t.is((await runTool(testShell({ SITE_TOKEN: 'wrong' }), args)).code, 1);
  t.is((await runTool(testShell({ SITE_TOKEN: 'wrong' }), [...args, '--site-token', here.site.token])).code, 0);
  t.is((await runTool(testShell({ SITE_TOKEN: '' }), args)).code, 2);
  const config = join(here.folder, 'sync.yaml');
  writeFileSync(config, siteSection(here));
  t.is((await runTool(testShell({ SITE_TOKEN: '' }), [...args, '--config', config])).code, 0);
});

const languages = [
  { code: 'en', name: 'English', is_default: true },
  { code: 'es_MX', name: 'Spanish', is_default: false },
  { code: 'id', name: 'Indonesian', is_default: false },
];
const labels = { en: 'Routine', es_MX: 'Rutina', id: 'Rutin' };
const mandates = [{ uuid: id('d1'), key: 'routine', is_active: true, names: labels }];
const display = ({ site }: Harness): string | undefined =>
  site.state().choices.find(({ value }) => value === 'routine')?.display;

test('--ext-language chooses the texts; case and - or _ do not count; without it the bundle’s default is taken', async (t) => {
  const here = await harness(t, { languages, mandates });
  for (const [flags, text] of [
    [[], 'Routine'],
    [['--ext-language', 'es_MX'], 'Rutina'],
    [['--ext-language', 'en'], 'Routine'],
    [['--ext-language', 'ES-mx'], 'Rutina'],
  ] as const) {
    t.is((await here.sync(...flags)).code, 0);
    t.is(display(here), text);
  }
});

test('a language that the bundle does not have is refused with all codes and their coverage, and a hint for old codes', async (t) => {
  const here = await harness(t, { languages, mandates });
  const { code, json } = await here.sync('--ext-language', 'in', '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'language_unknown');
  t.regex(String(json()['message']), /en \(\d+ %\), es_MX \(\d+ %\), id \(\d+ %\).*id is there/);
  t.deepEqual(here.site.log.entries(), []);
});

test('a bundle that is not valid is refused with its reason before the site is asked; no checklist, no record', async (t) => {
  const here = await sample(t);
  writeFileSync(join(here.bundle, 'stations.jsonl'), 'x\n');
  const { code, json } = await here.sync('--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'bundle_invalid');
  t.regex(String((json()['problems'] as string[])[0]), /^stations\.jsonl:1: is not JSON/);
  t.deepEqual(here.site.log.entries(), []);
  t.deepEqual(here.files(), []);
  const lines = (await here.sync()).err.split('\n');
  t.true(lines.some((line) => line.startsWith('stations.jsonl:1: ')));
  t.true(lines.some((line) => /^The bundle .* cannot be used: \d+ problems\.$/.test(line)));
});

test('--subject-name-suffix puts the area’s code behind each name, kept when the name is cut', async (t) => {
  const employees = [employee('f1'), employee('f2', { given_name: 'X'.repeat(120) })];
  const here = await harness(t, { employees });
  t.is((await here.sync('--subject-name-suffix')).code, 0);
  const names = here.site.state().subjects.map(({ name }) => name);
  t.true(names.includes('Ranger f1 (051)'));
  const cut = names.find((name) => name.startsWith('X')) ?? '';
  t.is([...cut].length, 100);
  t.true(cut.endsWith(' (051)'));
  here.writes();
  t.is((await here.sync('--subject-name-suffix')).code, 0);
  t.deepEqual(here.writes(), []);
});

test('a bundle path that is the folder one stands in has its checklist beside it', async (t) => {
  const here = await sample(t);
  t.is((await here.sync('--bundle', `${here.bundle}/.`)).code, 0);
  t.true(here.files().includes('checklist.md'));
  t.is(here.record().bundle.path, here.bundle);
});

test('the record says with what it was made: tool, bundle, site, area and options', async (t) => {
  const here = await sample(t);
  await here.sync('--roster-group', 'Rangers', '--subject-name-suffix');
  const { tool, site, conservation_area: area, options, bundle } = here.record();
  t.regex(tool, /^sync-tool \d/);
  t.is(site, new URL(here.site.url).host);
  t.like(area, { uuid: id('aa'), id: '051' });
  t.deepEqual(options, {
    language: 'en',
    subject_name_suffix: true,
    roster_group: 'Rangers',
    word: 'ext',
    replace_segment_schema: false,
    modernize_form: false,
  });
  t.regex(bundle.sha256, /^[0-9a-f]{64}$/);
});

test('a dry run names on the checklist that nothing was written, and adds nobody to the roster in its summary', async (t) => {
  const here = await sample(t);
  const { code, json } = await here.dry('--output', 'json');
  t.is(code, 0);
  t.like(json(), { ok: true, dry_run: true, roster_added: 0, record: null });
  t.like((json()['steps'] as Record<string, unknown>)['roster'], { created: 0, failed: 0 });
  t.regex(here.read('checklist.md'), /dry run/);
});

test('doctor shows each question with its answer and writes nothing; what only writing shows is unknown', async (t) => {
  const here = await sample(t);
  const { code, json } = await here.run('doctor', ...here.onSite, '--output', 'json');
  t.is(code, 0);
  const checks = json()['checks'] as { name: string; status: string }[];
  t.deepEqual([...new Set(checks.map(({ status }) => status))], ['ok', 'unknown']);
  for (const name of ['token', 'default subject group', 'languages', 'limits', 'roster group'])
    t.true(
      checks.some((check) => check.name === name),
      name,
    );
  t.deepEqual(here.writes(), []);
});

test('doctor fails with its reason for a token that is not taken', async (t) => {
  const here = await sample(t);
  here.site.tokens.delete(here.site.token);
  const { code, json } = await here.run('doctor', ...here.onSite, '--output', 'json');
  t.is(code, 1);
  t.is(json()['reason'], 'site_unauthorized');
  const checks = json()['checks'] as { name: string; status: string }[];
  t.deepEqual(
    checks.map(({ name, status }) => [name, status]),
    [
      ['token', 'failed'],
      ['preview feature patrol_schemas', 'ok'],
      ['everything else', 'unknown'],
    ],
  );
});

test('doctor says that a form cannot be seen while the feature is off', async (t) => {
  const here = await sample(t);
  here.site.set({ patrol_schemas: 'off' });
  const { code, out } = await here.run('doctor', ...here.onSite);
  t.is(code, 1);
  t.regex(out, /unknown +universal patrol fields/);
});

test('verify says what differs and ends with 1; after a run it ends with 0; it never writes', async (t) => {
  const here = await sample(t);
  const verify = ['verify', '--bundle', here.bundle, ...here.onSite, '--output', 'json'];
  const before = await here.run(...verify);
  t.is(before.code, 1);
  t.like(before.json(), { ok: false, reason: 'site_differs', differences: 14 });
  t.deepEqual(here.writes(), []);
  await here.sync();
  here.writes();
  t.is((await here.run(...verify)).code, 0);
  t.deepEqual(here.writes(), []);
});

for (const [what, text, line, told] of [
  [
    'a misspelt key',
    'ext:\n  timezon: Asia/Manila\n',
    2,
    /ext\.timezon is no key of sync-tool; did you mean ext\.timezone\?/,
  ],
  ['a misspelt section', '\nexxt:\n  timezone: Asia/Manila\n', 2, /exxt is no key of sync-tool; did you mean ext\?/],
  ['a key outside of its section', 'endpoint: site.invalid\n', 1, /did you mean site\.endpoint\?/],
  ['a text in place of a section', '\nbundle: export\n', 2, /bundle takes keys below it, no value/],
  ['a path in place of a section', 'ext.timezone: UTC\n', 1, /did you mean ext\.timezone\?/],
  ['a key of another section', 'site:\n  path: export\n', 2, /site\.path is no key .*did you mean bundle\.path\?/],
  [
    'a file of another tool',
    'apiVersion: v1\nkind: Config\nclusters: []\n',
    1,
    /apiVersion is no key of sync-tool \(2 more after it\); Its keys/,
  ],
] as const)
  test(`${what} of the configuration file is refused with its line and the keys that there are, before anything is read`, async (t) => {
    const here = await sample(t);
    const { code, json } = await withConfig(here, text, '--bundle', here.bundle, ...here.onSite, '--output', 'json');
    t.is(code, 1);
    t.is(json()['reason'], 'config_file_invalid');
    const message = String(json()['message']);
    t.regex(message, new RegExp(`line ${line}: `));
    t.regex(message, told);
    t.regex(message, /bundle\.path, site\.endpoint, site\.token, ext\.timezone/);
    t.deepEqual(here.site.log.entries(), []);
  });
