import test, { type ExecutionContext } from 'ava';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { labelFor } from '../bundle/labels/label.ts';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { desiredOf } from '../resources/index.ts';
import { type Harness, openSampleHarness } from '../test/harness.ts';
import { prepareAsImporter } from '../test/importer/prepare.ts';
import { rehearseImport } from '../test/importer/rehearse.ts';
import { variedCounts } from './test/case.ts';
import { seedSite } from './test/seeded-site.ts';
import { presentState, undoneFrom } from './test/states.ts';

/** SYNC_CASES makes the run long. */
const cases = Number(process.env['SYNC_CASES'] ?? 6);
const first = Number(process.env['SYNC_SEED'] ?? 1);
const seeds = Array.from({ length: cases }, (_, index) => first + index);

/** The only write that a site of the importer gets: it leaves such stations inactive. */
const activation = JSON.stringify({ is_active: true });

const harness = (t: ExecutionContext, seed: number): Promise<Harness> =>
  openSampleHarness(t, { seed, counts: variedCounts(seededRandom(seed * 17)), format: 'exported' });

/** Runs our tool under the word of the importer. */
const sync = async (t: ExecutionContext, here: Harness, seed: number): Promise<void> => {
  const { code, err } = await here.sync('--ext-word', 'word');
  t.is(code, 0, `seed ${seed}: ${err}`);
};

test.serial(
  'a site that the importer prepared gets no write but for stations without a name that patrols use',
  async (t) => {
    t.timeout(60_000 + cases * 3_000);
    for (const seed of seeds) {
      const here = await harness(t, seed);
      await prepareAsImporter(here.site, here.bundle, 'word', here.folder);
      here.writes();
      await sync(t, here, seed);
      const unnamed = here.site.state().choices.filter(({ display }) => display.startsWith('Unnamed station '));
      const paths = new Set(unnamed.map(({ id }) => `choices/${id}/`));
      const others = here.writes().filter(({ path, body }) => !paths.has(path) || JSON.stringify(body) !== activation);
      t.deepEqual(others, [], `seed ${seed}`);
    }
  },
);

test.serial('on a site that we prepared the importer finds all it looks for', async (t) => {
  t.timeout(60_000 + cases * 3_000);
  for (const seed of seeds) {
    const here = await harness(t, seed);
    await sync(t, here, seed);
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
      const { code, out, err } = await here.run('undo', record, ...here.onSite, ...force);
      t.is(code, 0, `seed ${seed}: ${out}${err}`);
      t.deepEqual(presentState(here.site.state()), undoneFrom(before, after), `seed ${seed}`);
    }
  },
);
