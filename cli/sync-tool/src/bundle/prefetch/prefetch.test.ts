import { realpathSync } from 'node:fs';
import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { id, leg, record } from '../test/records.ts';
import { bundleHarness, type Harness } from '../test/harness.ts';
import { startAhead } from './prefetch.ts';

/** What reading tells: the bundle with its warnings, or its problems with their number. */
const told = async ({ read }: Harness, aheadFromBytes: number): Promise<unknown> => {
  try {
    return await read({ aheadFromBytes });
  } catch (error) {
    if (isRelayError(error, 'bundle_invalid')) return error.details;
    throw error;
  }
};

const uuid = (number: number): string => number.toString(16).padStart(8, '0').padEnd(32, 'a');

const members = fc.oneof(
  { weight: 20, arbitrary: fc.constant({}) },
  fc.constantFrom(
    { station_uuid: id('99') },
    { class_key: 'none' },
    { end_date: '2024-03-01' },
    { is_armed: 1 },
    { uuid: uuid(1) },
    { legs: [leg({ uuid: uuid(9_999), starts_at: '2024-03-02T06:10:00+09:00' })] },
    { legs: [leg({ uuid: uuid(9_999) })] },
  ),
);
const line = (patrol: object): string => JSON.stringify(patrol);
/** Patrols, some of them wrong, between lines that are none. */
const file = fc
  .array(fc.tuple(members, fc.constantFrom('', '', '', '', '', '\n', ' \r\n', '{"half":\n', 'ÿ\n')), {
    minLength: 1,
    maxLength: 40,
  })
  .map((patrols) =>
    patrols
      .map(([parts, more], at) => `${line(record('patrols', { uuid: uuid(at + 1), legs: [], ...parts }))}\n${more}`)
      .join(''),
  );

testProp(
  'two threads tell what one tells, whatever is wrong and wherever',
  [file, fc.boolean(), fc.integer({ min: -1, max: 1 })],
  async (t, content, isWhole, off) => {
    const text = isWhole ? content : content.slice(0, -1);
    const records = text.split('\n').filter((each) => each.trim() !== '').length;
    const harness = await bundleHarness(t, { raw: { patrols: text }, rawRecords: Math.max(0, records + off) });
    t.deepEqual(await told(harness, 0), await told(harness, Infinity));
  },
  { numRuns: 25 },
);

const many = (count: number, parts: (at: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => record('patrols', { uuid: uuid(at + 1), legs: [], ...parts(at) }));

test('what both halves use is known, and warnings name the lines of the file', async (t) => {
  const stations = [0, 1, 2].map((number) => record('stations', { uuid: id(`c${number}`) }));
  const patrols = many(40, (at) => ({ station_uuid: at === 39 ? id('99') : id(at < 30 ? 'c0' : 'c2') }));
  const harness = await bundleHarness(t, { records: { stations, patrols } });
  const { usage, warnings } = await harness.read({ aheadFromBytes: 0 });
  t.deepEqual([usage.patrols, usage.stations], [40, new Set([id('c0'), id('c2')])]);
  t.regex(warnings[0]?.text ?? '', /^patrols\.jsonl:40: station_uuid/);
});

test('a thread reads from a line on what is plain, and gives up on what is not', async (t) => {
  const patrols = many(3, (at) => ({ station_uuid: at === 2 ? id('99') : id('c1') }));
  const { folder } = await bundleHarness(t, { records: { patrols } });
  const from = line(patrols[0] ?? {}).length + 1;
  const task = {
    root: realpathSync(folder),
    path: 'patrols.jsonl',
    from,
    expected: 2,
    zone: 'Asia/Manila',
    known: [[id('c1')], [], [], []],
    classes: ['ground'],
  };
  const read = async (parts: Partial<typeof task> = {}) => {
    const ahead = startAhead();
    const result = await ahead.read({ ...task, ...parts });
    await ahead.close();
    return result;
  };
  const result = await read();
  t.like(result, { records: 2, usage: { count: 2 } });
  t.deepEqual(result?.usage.uses[0], new Uint8Array([1]));
  t.deepEqual(
    result?.warnings.map(({ line: number }) => number),
    [2],
  );
  t.is(await read({ from: from + 1 }), null);
  t.is(await read({ path: 'nothing.jsonl' }), null);
});

test('a uuid that stands in both halves is refused with both lines', async (t) => {
  const patrols = many(40, (at) => (at === 39 ? { uuid: uuid(1) } : {}));
  const harness = await bundleHarness(t, { records: { patrols } });
  t.regex((await harness.problems({ aheadFromBytes: 0 })).join(), /^patrols\.jsonl:40: .* first in line 1$/);
});

test('a file with other content than the manifest says is refused', async (t) => {
  const harness = await bundleHarness(t, {
    records: { patrols: many(40) },
    manifest: (m) => {
      for (const each of m.files) if (each['kind'] === 'patrols') each['sha256'] = 'ab'.repeat(32);
      return m;
    },
  });
  t.regex((await harness.problems({ aheadFromBytes: 0 })).join(), /patrols\.jsonl has the sha256 [0-9a-f]{64}/);
});
