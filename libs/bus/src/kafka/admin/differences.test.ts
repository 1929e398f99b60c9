import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { differencesOf, type FoundTopic } from './differences.ts';

const wanted = { name: 'a', partitions: 4, retentionMs: 1_000, maxRecordBytes: 5_000 };

const found = (
  settings: Readonly<Record<string, string>> = {},
  more: Partial<Pick<FoundTopic, 'partitions' | 'replicas'>> = {},
): FoundTopic => ({
  partitions: 4,
  replicas: 3,
  ...more,
  settings: new Map(
    Object.entries({
      'cleanup.policy': 'delete',
      'max.message.bytes': '100000',
      'min.insync.replicas': '2',
      'retention.bytes': '-1',
      'retention.ms': '1000',
      ...settings,
    }),
  ),
});

const told = (topic: FoundTopic): string[] =>
  differencesOf(wanted, topic).map(({ severity, text }) => `${severity}: ${text}`);

test('a topic that is as wanted has no difference', (t) => {
  t.deepEqual(differencesOf(wanted, found()), []);
});

test('three copies of which one counts as stored are a problem, and two must have it from then on', (t) => {
  const [difference, ...rest] = differencesOf(wanted, found({ 'min.insync.replicas': '1' }));
  t.like(difference, { severity: 'problem', set: { 'min.insync.replicas': '2' } });
  t.regex(difference?.text ?? '', /one of 3 copies/);
  t.deepEqual(rest, []);
});

test('every way to compress that the brokers know can be read; another one is a problem, ended by asking for none', (t) => {
  for (const codec of ['uncompressed', 'producer', 'gzip', 'snappy', 'lz4', 'zstd'])
    t.deepEqual(told(found({ 'compression.type': codec })), [], codec);
  const [difference] = differencesOf(wanted, found({ 'compression.type': 'brotli' }));
  t.like(difference, { severity: 'problem', set: { 'compression.type': 'uncompressed' } });
  t.regex(difference?.text ?? '', /brotli/);
});

for (const [what, replicas, insync, line] of [
  ['one copy', 1, '1', /^note: has one copy/],
  ['two copies of which one counts', 2, '1', /^note: counts a record as stored with one of 2/],
  ['copies that must all be there', 2, '2', /^note: wants all 2 copies/],
  ['more copies wanted than there are', 1, '2', /^problem: wants 2 copies .* has 1: nothing can be written/],
] as const)
  test(`${what}: told, and never lowered`, (t) => {
    const topic = found({ 'min.insync.replicas': insync }, { replicas });
    const lines = told(topic);
    t.is(lines.length, 1);
    t.regex(lines[0] ?? '', line);
    t.is(differencesOf(wanted, topic)[0]?.set, undefined);
  });

test('the time of the writer is a problem, ended by asking for that of the brokers', (t) => {
  t.deepEqual(told(found({ 'message.timestamp.type': 'LogAppendTime' })), []);
  const [difference] = differencesOf(wanted, found({ 'message.timestamp.type': 'CreateTime' }));
  t.like(difference, { severity: 'problem', set: { 'message.timestamp.type': 'LogAppendTime' } });
});

test('a bound in bytes is told: what waits beyond it is lost', (t) => {
  t.regex(told(found({ 'retention.bytes': '1000000' })).join(), /^note: keeps at most 1000000 bytes/);
});

test('a compacted topic is a problem that is left to a person', (t) => {
  const [difference] = differencesOf(wanted, found({ 'cleanup.policy': 'compact,delete' }));
  t.is(difference?.severity, 'problem');
  t.is(difference?.set, undefined);
});

testProp(
  'nothing that a change sets is less than what is there',
  [
    fc.integer({ min: -1, max: 5_000 }),
    fc.nat(200_000),
    fc.integer({ min: 1, max: 5 }),
    fc.integer({ min: 1, max: 5 }),
  ],
  (t, retention, bytes, replicas, insync) => {
    const before = found(
      {
        'retention.ms': String(retention),
        'max.message.bytes': String(bytes),
        'min.insync.replicas': String(insync),
      },
      { replicas },
    );
    const changes = differencesOf(wanted, before).flatMap(({ set = {} }) => Object.entries(set));
    const raises = ([name, value]: [string, string]): boolean => {
      const was = Number(before.settings.get(name));
      return was !== -1 && Number(value) > was;
    };
    t.true(changes.every(raises));
  },
);

testProp(
  'a topic whose settings are raised as told has none of these differences any more',
  [fc.integer({ min: -1, max: 5_000 }), fc.nat(200_000), fc.integer({ min: 1, max: 5 })],
  (t, retention, bytes, partitions) => {
    const before = found({ 'retention.ms': String(retention), 'max.message.bytes': String(bytes) }, { partitions });
    const differences = differencesOf(wanted, before);
    const after = {
      ...before,
      partitions: differences.find((each) => each.partitions)?.partitions ?? partitions,
      settings: new Map([...before.settings, ...differences.flatMap(({ set = {} }) => Object.entries(set))]),
    };
    t.deepEqual(differencesOf(wanted, after), []);
  },
);
