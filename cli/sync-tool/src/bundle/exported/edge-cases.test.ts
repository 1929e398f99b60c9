import test from 'ava';
import { desiredOf } from '../../resources/index.ts';
import { labelFor } from '../labels/label.ts';
import { exportedBundle, leg, mandatesOfOneValue, manifest, patrol, reference, uuid } from './test/exported-bundle.ts';

const bare = (pair: string): string => uuid(pair).replaceAll('-', '');
const [station] = reference.stations;

test('of an object that stands twice the first counts', async (t) => {
  const stations = ['First', 'Second'].map((label) => ({ uuid: uuid('c1'), labels: {}, label, active: true }));
  const { stations: read } = await (await exportedBundle(t, { reference: { stations } })).read();
  t.deepEqual(
    read.map(({ uuid, names }) => [uuid, [...names.values()]]),
    [[bare('c1'), ['First']]],
  );
});

test('a uuid in capitals or without dashes is that of the lower-case one with dashes', async (t) => {
  const stations = [{ ...station, uuid: uuid('c1').toUpperCase() }];
  const patrols = [{ ...patrol, station_uuid: uuid('c1').replaceAll('-', '') }];
  const bundle = await (await exportedBundle(t, { reference: { stations }, patrols: { patrols } })).read();
  t.deepEqual(
    bundle.stations.map((each) => each.uuid),
    [bare('c1')],
  );
  t.deepEqual([...bundle.usage.stations], [bare('c1')]);
});

test('a byte order mark, lines of any length and 64 levels make no difference', async (t) => {
  const mark = '\uFEFF';
  const odd = {
    ...patrol,
    comment: 'x'.repeat(5 * 1024 * 1024),
    odd: JSON.parse('['.repeat(60) + ']'.repeat(60)) as unknown,
  };
  const parts = {
    manifest: mark + JSON.stringify(manifest),
    reference: mark + JSON.stringify(reference),
    patrols: mark + JSON.stringify({ patrols: [odd] }),
  };
  const bundle = await (await exportedBundle(t, parts)).read();
  t.is(bundle.usage.patrols, 1);
  t.deepEqual(bundle.warnings, []);
});

test('mandates of one value are warned of, and a leg may name each of them', async (t) => {
  const legs = [{ ...leg, mandate_uuid: uuid('b1') }];
  const parts = { reference: { mandates: mandatesOfOneValue }, patrols: { patrols: [{ ...patrol, legs }] } };
  const read = await (await exportedBundle(t, parts)).read();
  t.deepEqual(
    read.mandates.map(({ value }) => value),
    ['a_b', 'a_b'],
  );
  t.deepEqual([...read.usage.mandates], [bare('b1')]);
  t.deepEqual(
    read.warnings.map(({ text }) => text),
    ['reference.json: mandates[1]: the keys "A.b" and "a__B" both become a_b; the first counts'],
  );
});

test('an agency is its key, a rank its label; what is unknown or has neither is null', async (t) => {
  const agencies = [{ uuid: uuid('71'), key: 'parks' }, { uuid: uuid('72') }];
  const ranks = [
    { uuid: uuid('61'), labels: { en: 'Chief' }, label: 'Chief' },
    { uuid: uuid('62'), labels: {}, label: null },
  ];
  const [employee] = reference.employees;
  const of = (pair: string, agency: string, rank: string) =>
    Object.assign({}, employee, { uuid: uuid(pair), agency_uuid: uuid(agency), rank_uuid: uuid(rank) });
  const employees = [of('51', '71', '61'), of('52', '72', '62'), of('53', '79', '69')];
  const bundle = await (await exportedBundle(t, { reference: { agencies, ranks, employees } })).read();
  const { people } = desiredOf(bundle, labelFor(bundle.manifest, 'en'), false);
  t.deepEqual(
    people.subjects.map(({ details }) => details),
    [{ ext_agency: 'parks', ext_rank: 'Chief' }, ...[2, 3].map(() => ({ ext_agency: null, ext_rank: null }))],
  );
});
