import * as disk from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { SyncPlan } from '@ranger-relay/contracts';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { labelFor } from '../bundle/labels/label.ts';
import type { BundleFormat } from '../bundle/model.ts';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { sampleContents, type SampleOptions, writeContents } from '../bundle/sample/sample-bundle.ts';
import type { BundleContents, SampleRecord } from '../bundle/sample/write-bundle.ts';
import { temporaryFolder } from '../bundle/test/folder.ts';
import { plannedForm } from '../form/planned.ts';
import { prepare } from '../plan/plan.ts';
import { desiredOf } from '../resources/index.ts';
import { startCases, type Cases, variedCounts } from './test/case.ts';
import { seedSite } from './test/seeded-site.ts';

/** SYNC_CASES makes the run long. */
const cases = Number(process.env['SYNC_CASES'] ?? 12);
const first = Number(process.env['SYNC_SEED'] ?? 1);

let here: Cases;
test.before(async () => {
  here = await startCases();
});
test.after.always(() => here?.site.close());

/** Leaves out of a record what the formats cannot say alike, or for which they have rules of their own. */
const agreed: Readonly<Record<string, (record: SampleRecord) => SampleRecord>> = {
  patrol_classes: (record) => ({ ...record, names: {} }),
  stations: (record) => ({ ...record, is_active: true }),
  patrol_attributes: (record) => ({ ...record, is_active: true }),
  employees: (record) => ({ ...record, agency: null, rank: null }),
};

function* each(records: Iterable<SampleRecord>, change: (record: SampleRecord) => SampleRecord) {
  for (const record of records) yield change(record);
}

const agreedContents = (options: SampleOptions): BundleContents => {
  const contents = sampleContents(options);
  const kinds = [...contents.kinds].map(
    ([kind, records]) => [kind, each(records, agreed[kind] ?? ((record) => record))] as const,
  );
  return { ...contents, kinds: new Map(kinds) };
};

/** Trees have a root alone, as flat options. */
const optionsOf = (seed: number): SampleOptions => ({
  seed,
  counts: { ...variedCounts(seededRandom(seed * 13)), treeNodes: 1 },
});

/** Writes one content in both formats and reads them. */
const bothBundles = async (t: ExecutionContext, seed: number) => {
  const folder = await temporaryFolder(t);
  const read = async (format: BundleFormat) => {
    await writeContents(join(folder, format), agreedContents(optionsOf(seed)), format);
    return readBundle(join(folder, format));
  };
  return { folder, own: await read('own'), exported: await read('exported') };
};

/** Gives a form the core fields that it lacks, of which only a new form is different in the formats. */
const withCoreFields = (bundle: Awaited<ReturnType<typeof readBundle>>): void => {
  const { fields } = desiredOf({ ...bundle, attributes: [] }, labelFor(bundle.manifest, 'en'), false);
  const stored = here.site.state().form as ReturnType<typeof plannedForm> | null;
  const has = fields.every(({ property }) => Object.hasOwn(stored?.json['properties'] ?? {}, property));
  if (!has) here.site.seed({ form: plannedForm(fields) });
};

test.serial('one content in the two formats gives plans of the same changes and the same hash', async (t) => {
  t.timeout(60_000 + cases * 3_000);
  let changes = 0;
  for (let seed = first; seed < first + cases; seed += 1) {
    const { folder, own, exported } = await bothBundles(t, seed);
    const desired = desiredOf(own, labelFor(own.manifest, 'en'), false);
    seedSite(here.site, own, desired, seededRandom(seed));
    withCoreFields(own);
    const site = here.open();
    const options = {
      language: 'en',
      subject_name_suffix: seed % 2 === 0,
      roster_group: null,
      replace_segment_schema: false,
      modernize_form: false,
      word: 'ext',
    };
    const planOf = async (bundle: typeof own): Promise<SyncPlan> => {
      const label = labelFor(bundle.manifest, 'en');
      const now = '2026-11-27T00:00:00.000Z';
      const isWordSet = false;
      return (await prepare({ bundle, label, options, site, disk, folder, tool: 'test', now, isWordSet })).plan;
    };
    const [one, other] = [await planOf(own), await planOf(exported)];
    t.deepEqual(other.changes, one.changes, `seed ${seed}`);
    t.is(other.hash, one.hash, `seed ${seed}`);
    changes += one.changes.length;
    site.close();
  }
  t.log(`${cases} cases, ${changes} changes`);
  t.true(changes > 0);
});
