import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openSampleHarness, type Harness } from './test/harness.ts';
import { prepareAsImporter } from './test/importer/prepare.ts';

const seeds = [1, 3, 4, 5];
const word = 'ext';

const harness = (t: ExecutionContext, seed: number): Promise<Harness> =>
  openSampleHarness(t, { seed, format: 'exported' });

const sync = (here: Harness) => here.sync('--ext-word', word);

for (const seed of seeds)
  test(`a site that the importer prepared needs no write of ours for the same bundle, and one of ours none of the importer's (seed ${seed})`, async (t) => {
    const here = await harness(t, seed);
    await prepareAsImporter(here.site, here.bundle, word, here.folder);
    here.writes();
    const { code, err } = await sync(here);
    t.is(code, 0, err);
    t.deepEqual(here.writes(), []);
    const other = await harness(t, seed);
    t.is((await sync(other)).code, 0);
    other.writes();
    t.is(await prepareAsImporter(other.site, other.bundle, word, other.folder), null);
    t.deepEqual(other.writes(), []);
  });

test('of a site that the importer prepared only stations without a name become active, where patrols use them', async (t) => {
  const here = await harness(t, 2);
  await prepareAsImporter(here.site, here.bundle, word, here.folder);
  const before = here.site.state().choices;
  here.writes();
  t.is((await sync(here)).code, 0);
  const [write, ...others] = here.writes();
  t.deepEqual(others, []);
  t.deepEqual(write?.body, { is_active: true });
  const station = before.find(({ id }) => write?.path === `choices/${id}/`);
  t.like(station, { field: 'patrol_station', is_active: false });
  t.regex(station?.display ?? '', /^Unnamed station/);
});

test('of a changed bundle only the changes are written to a site that the importer prepared', async (t) => {
  const here = await harness(t, 1);
  await prepareAsImporter(here.site, here.bundle, word, here.folder);
  const path = join(here.bundle, 'reference.json');
  const reference = JSON.parse(readFileSync(path, 'utf8')) as {
    mandates: { label: string; labels: Record<string, string> }[];
    employees: { active: boolean; has_ext_login: boolean; given_name: string }[];
  };
  const [mandate] = reference.mandates;
  const employee = reference.employees.find((each) => each.active && !each.has_ext_login);
  if (!mandate || !employee) throw new Error('the sample has neither');
  mandate.label = 'Renamed';
  mandate.labels = { en: 'Renamed' };
  employee.given_name = 'Renamed';
  writeFileSync(path, JSON.stringify(reference));
  here.writes();
  t.is((await sync(here)).code, 0);
  t.deepEqual(
    here.writes().map(({ method, path, body }) => [method, path.split('/')[0], Object.keys(body as object)]),
    [
      ['PATCH', 'choices', ['display']],
      ['PATCH', 'subject', ['name']],
    ],
  );
});
