import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import { readBundle } from '../read/read-bundle.ts';
import { temporaryFolder } from '../test/folder.ts';
import { id } from '../test/records.ts';
import { writeContractSample } from './contract-sample.ts';
import { countsIn, type SampleCounts } from './counts.ts';
import { edgeCases } from './edge-cases.ts';
import { languagesLimit } from './random.ts';
import { writeSampleBundle, type SampleOptions } from './sample-bundle.ts';

const sample = async (t: ExecutionContext, options: SampleOptions) => {
  const folder = await temporaryFolder(t);
  const files = await writeSampleBundle(folder, options);
  return { folder, files, bundle: await readBundle(folder) };
};

const few = { patrols: 30, employees: 20, logins: 3 };

const count = (max: number) => fc.integer({ min: 0, max });

const anyCounts: fc.Arbitrary<SampleCounts> = fc.record({
  languages: fc.integer({ min: 1, max: languagesLimit }),
  transports: count(12),
  mandates: count(5),
  stations: count(10),
  unnamedStations: count(10),
  teams: count(5),
  attributes: count(8),
  options: count(6),
  treeNodes: count(30),
  employees: count(12),
  logins: count(12),
  patrols: count(20),
  membersPerLeg: count(6),
  waypointsPerLeg: count(3),
});

testProp(
  'a sample of any options is a valid bundle',
  [
    fc.record({
      format: fc.constantFrom('own', 'exported'),
      seed: fc.nat(),
      counts: anyCounts,
      edgeCases: fc.subarray([...edgeCases]),
      formatVersion: fc.constantFrom('1.0', '1.1'),
      timezone: fc.constantFrom('Asia/Manila', 'UTC', 'America/New_York', 'Asia/Kathmandu'),
    }),
  ],
  async (t, options) => {
    const { bundle } = await sample(t, options.format === 'own' ? options : { ...options, edgeCases: [] });
    t.is(bundle.manifest.format, options.format);
    t.is(bundle.usage.patrols, options.counts.patrols);
  },
  { numRuns: 40 },
);

for (const format of ['own', 'exported'] as const)
  test(`a sample of the format ${format} without oddities has no warnings and the counts that were asked for`, async (t) => {
    const { bundle } = await sample(t, { preset: 'typical', format });
    const counts = countsIn('typical');
    t.deepEqual(bundle.warnings, []);
    t.is(bundle.manifest.languages.length, counts.languages);
    t.is(bundle.transports.length, counts.transports);
    t.is(bundle.mandates.length, counts.mandates);
    t.is(bundle.stations.length, counts.stations);
    t.is(bundle.stations.filter(({ names }) => names.size === 0).length, counts.unnamedStations);
    t.is(bundle.teams.length, counts.teams);
    t.is(bundle.attributes.length, counts.attributes);
    t.is(bundle.employees.length, counts.employees);
    t.is(bundle.employees.filter(({ hasExtLogin }) => hasExtLogin === true).length, counts.logins);
    t.is(bundle.usage.patrols, counts.patrols);
  });

test('an exported sample has the waypoints that were asked for, and says so', async (t) => {
  const { folder } = await sample(t, { format: 'exported', counts: { ...few, waypointsPerLeg: 3 } });
  const read = async (name: string) =>
    JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, unknown>;
  const { patrols } = (await read('patrols.json')) as { patrols: { legs: { waypoints: unknown[] }[] }[] };
  t.is(patrols.flatMap(({ legs }) => legs.flatMap(({ waypoints }) => waypoints)).length, 90);
  t.like((await read('manifest.json'))['counts'], { patrols: 30, legs: 30, waypoints: 90, employees: 20 });
});

test('the same options give the same bytes, another seed other ones', async (t) => {
  const [one, same, other] = await Promise.all([1, 1, 2].map((seed) => sample(t, { seed, counts: few })));
  t.deepEqual(one?.files, same?.files);
  t.notDeepEqual(one?.files, other?.files);
});

const manifestOf = (folder: string): Promise<string> => readFile(join(folder, 'manifest.json'), 'utf8');

for (const name of edgeCases)
  test(`a sample with ${name} is valid and not the same as without`, async (t) => {
    const odd = await sample(t, { counts: few, edgeCases: [name] });
    const plain = await sample(t, { counts: few });
    t.not(await manifestOf(odd.folder), await manifestOf(plain.folder));
  });

test('a sample of format 1.0 has no login flags', async (t) => {
  const { bundle } = await sample(t, { formatVersion: '1.0', counts: few });
  t.true(bundle.employees.every(({ hasExtLogin }) => hasExtLogin === undefined));
});

for (const formatVersion of ['1.1', '1.0'] as const)
  test(`the sample of the contract as format ${formatVersion} is valid and has its ids`, async (t) => {
    const folder = await temporaryFolder(t);
    await writeContractSample(folder, { formatVersion });
    const bundle = await readBundle(folder);
    t.deepEqual(bundle.warnings, []);
    t.is(bundle.manifest.formatVersion, formatVersion);
    t.like(bundle.manifest.area, { uuid: id('aa'), id: '051' });
    t.deepEqual(
      bundle.transports.map(({ uuid, key, isActive }) => [uuid, key, isActive]),
      [
        [id('b1'), 'foot', true],
        [id('b2'), 'boat', false],
      ],
    );
    t.deepEqual(
      bundle.stations.map(({ uuid, names }) => [uuid, names.get('en')]),
      [
        [id('c1'), 'Post One'],
        [id('c2'), undefined],
        [id('c3'), undefined],
      ],
    );
    t.deepEqual(
      bundle.attributes[0]?.options.map(({ key, order }) => [key, order]),
      [
        ['dry', 1],
        ['rain', 2],
      ],
    );
    const flags = formatVersion === '1.0' ? Array.from({ length: 4 }) : [false, true, true, false];
    t.deepEqual(
      bundle.employees.map(({ hasExtLogin }) => hasExtLogin),
      flags,
    );
    t.deepEqual(bundle.usage, {
      patrols: 1,
      stations: new Set([id('c3')]),
      transports: new Set([id('b1')]),
      teams: new Map(),
      mandates: new Set([id('d1')]),
      members: new Set([id('f1'), id('f3'), id('f4')]),
    });
  });
