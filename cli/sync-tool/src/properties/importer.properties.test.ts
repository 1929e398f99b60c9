import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { freshSite } from '@ranger-relay/simulators';
import { labelFor, readBundle, type SampleOptions, writeSampleBundle } from '../bundle/index.ts';
import { desiredOf } from '../resources/index.ts';
import { runTool } from '../test/harness.ts';
import { prepareAsImporter } from '../test/importer/prepare.ts';
import { rehearseImport } from '../test/importer/rehearse.ts';
import { testShell } from '../test/shell.ts';
import { smallCounts } from './case.ts';
import { seedSite } from './seeded-site.ts';
import { presentState, undoneFrom } from './states.ts';

/** SYNC_CASES makes the run long. */
const cases = Number(process.env['SYNC_CASES'] ?? 6);
const first = Number(process.env['SYNC_SEED'] ?? 1);
const seeds = Array.from({ length: cases }, (_, index) => first + index);

const optionsOf = (seed: number): SampleOptions => {
  const { next } = seededRandom(seed * 17);
  const below = (count: number): number => Math.floor(next() * count);
  const [employees, stations] = [1 + below(12), below(6)];
  const counts = {
    ...smallCounts,
    languages: 1 + below(3),
    transports: below(5),
    mandates: below(4),
    stations,
    unnamedStations: below(stations + 1),
    attributes: below(8),
    employees,
    logins: below(employees + 1),
    patrols: below(8),
  };
  return { seed, counts, format: 'exported' };
};

/** The only write that a site of the importer gets: it leaves such stations inactive. */
const activation = JSON.stringify({ is_active: true });

const harness = async (t: ExecutionContext, seed: number) => {
  const folder = mkdtempSync(join(tmpdir(), 'importer-'));
  const site = await freshSite();
  t.teardown(async () => {
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const bundle = join(folder, 'export');
  await writeSampleBundle(bundle, optionsOf(seed));
  const on = ['--bundle', bundle, '--site-endpoint', site.url, '--site-token', site.token, '--ext-word', 'word'];
  return {
    folder,
    bundle,
    site,
    async sync() {
      const { code, err } = await runTool(testShell(), ['patrol-datamodel', ...on]);
      t.is(code, 0, `seed ${seed}: ${err}`);
    },
    writes: () => site.log.writes().map(({ method, path, body }) => ({ method, path, body })),
  };
};

test.serial(
  'a site that the importer prepared gets no write but for stations without a name that patrols use',
  async (t) => {
    t.timeout(60_000 + cases * 3_000);
    for (const seed of seeds) {
      const here = await harness(t, seed);
      await prepareAsImporter(here.site, here.bundle, 'word', here.folder);
      here.site.log.clear();
      await here.sync();
      const unnamed = here.site.state().choices.filter(({ display }) => display.startsWith('Unnamed station '));
      const paths = new Set(unnamed.map(({ id }) => `/api/v1.0/choices/${id}/`));
      const others = here.writes().filter(({ path, body }) => !paths.has(path) || JSON.stringify(body) !== activation);
      t.deepEqual(others, [], `seed ${seed}`);
    }
  },
);

test.serial('on a site that we prepared the importer finds all it looks for', async (t) => {
  t.timeout(60_000 + cases * 3_000);
  for (const seed of seeds) {
    const here = await harness(t, seed);
    await here.sync();
    const { missing, refused } = await rehearseImport(here.site, here.bundle, 'word');
    // Teams and types of events are made by others; a type is inactive where the bundle says so of its transport.
    const inactive = new Set(here.site.state().types.flatMap(({ value, is_active }) => (is_active ? [] : [value])));
    const left = missing.filter(
      (text) => !/^(?:team|event type) /.test(text) && !inactive.has(text.replace(/^type /, '')),
    );
    t.deepEqual([left, refused], [[], []], `seed ${seed}`);
  }
});

test.serial(
  'undo of the record of the importer leaves the site as it was, but for what cannot be taken away',
  async (t) => {
    t.timeout(60_000 + cases * 3_000);
    for (const seed of seeds) {
      const here = await harness(t, seed);
      const bundle = await readBundle(here.bundle);
      seedSite(here.site, bundle, desiredOf(bundle, labelFor(bundle.manifest, 'en'), false), seededRandom(seed));
      const before = here.site.state();
      const record = await prepareAsImporter(here.site, here.bundle, 'ext', here.folder);
      const after = here.site.state();
      if (record === null) continue;
      const force = ['--force', 'patrol_type', 'universal_patrol_fields', 'choice', 'subject'];
      const on = ['--site-endpoint', here.site.url, '--site-token', here.site.token];
      const { code, out, err } = await runTool(testShell(), ['undo', record, ...on, ...force]);
      t.is(code, 0, `seed ${seed}: ${out}${err}`);
      t.deepEqual(presentState(here.site.state()), undoneFrom(before, after), `seed ${seed}`);
    }
  },
);
