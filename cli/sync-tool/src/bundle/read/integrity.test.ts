import { createHash } from 'node:crypto';
import { appendFileSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import type { ReadProgress } from './read-bundle.ts';
import { valid } from '../test/records.ts';
import { bundleHarness, hasProblem, type ManifestJson } from '../test/harness.ts';

const changed = (kind: string, parts: Record<string, unknown>) => (manifest: ManifestJson) => {
  for (const file of manifest.files) if (file['kind'] === kind) Object.assign(file, parts);
  return manifest;
};

for (const [what, parts, words] of [
  ['size', { bytes: 1 }, /stations\.jsonl has \d+ bytes, the manifest says 1;/],
  ['count', { records: 2 }, /stations\.jsonl has 1 records, the manifest says 2;/],
  ['hash', { sha256: 'ab'.repeat(32) }, /stations\.jsonl has the sha256 [0-9a-f]{64}, the manifest says abab/],
] as const)
  test(`a ${what} that differs is refused`, async (t) => {
    await hasProblem(t, await bundleHarness(t, { manifest: changed('stations', parts) }), 'manifest.json:45', words);
  });

for (const parts of [
  { bytes: -1 },
  { bytes: '5' },
  { records: 1.5 },
  { records: null },
  { sha256: 'xyz' },
  { sha256: 5 },
])
  test(`the entry ${JSON.stringify(parts)} is refused`, async (t) => {
    const problems = await (await bundleHarness(t, { manifest: changed('stations', parts) })).problems();
    t.regex(problems.join(), /^manifest\.json:\d+: files\[3\]\.(?:bytes|records|sha256) must be [^,]*, it is [^,]*$/);
  });

const upper = (m: ManifestJson) => {
  for (const file of m.files) file['sha256'] = String(file['sha256']).toUpperCase();
  return m;
};

test('a hash may be written in upper case', async (t) => {
  await t.notThrowsAsync((await bundleHarness(t, { manifest: upper })).read());
});

test('a file that grows while it is read is refused', async (t) => {
  const harness = await bundleHarness(t);
  const onProgress = ({ file }: ReadProgress) => {
    if (file === 'stations.jsonl') appendFileSync(join(harness.folder, file), '\n');
  };
  t.regex(
    (await harness.problems({ onProgress })).join(),
    /^manifest\.json:\d+: stations\.jsonl was changed while it was read/,
  );
});

test('a file that is written while it is read is refused, also when its size stays', async (t) => {
  const harness = await bundleHarness(t);
  const onProgress = ({ file }: ReadProgress) => {
    if (file === 'patrols.jsonl') utimesSync(join(harness.folder, file), 1, 1);
  };
  t.regex((await harness.problems({ onProgress })).join(), /patrols\.jsonl was changed while it was read/);
});

test('progress names the file and goes up to the sum of all sizes', async (t) => {
  const seen: ReadProgress[] = [];
  await (await bundleHarness(t)).read({ onProgress: (progress) => seen.push(progress) });
  t.deepEqual(
    seen.map(({ file }) => file),
    [
      'transports.jsonl',
      'patrol_classes.jsonl',
      'mandates.jsonl',
      'stations.jsonl',
      'patrol_attributes.jsonl',
      'employees.jsonl',
      'teams.jsonl',
      'patrols.jsonl',
    ],
  );
  t.is(seen.at(-1)?.bytes, seen.at(-1)?.totalBytes);
});

test('at most 20 problems are named, and all are counted', async (t) => {
  const stations = Array.from({ length: 33 }, () => ({ ...valid.stations, uuid: 'none' }));
  const harness = await bundleHarness(t, { records: { stations } });
  const problems = await harness.problems();
  t.is(problems.length, 20);
  t.is(
    problems[16],
    'stations.jsonl:17: uuid must be a uuid of 32 hex digits that are not all zero, it is the text "none"',
  );
  const error = await t.throwsAsync(harness.read());
  t.regex(
    error?.message ?? '',
    /^The bundle .* cannot be used, 33 problems, the first 20 of them: stations\.jsonl:1: /,
  );
});

test('the problems of all files are told at once', async (t) => {
  const harness = await bundleHarness(t, {
    records: { stations: [{ ...valid.stations, uuid: 1 }], patrols: [{ ...valid.patrols, id: 1 }] },
  });
  t.deepEqual(
    (await harness.problems()).map((problem) => problem.split(': ')[0]),
    ['stations.jsonl:1', 'patrols.jsonl:1'],
  );
});

const kinds = Object.keys(valid);

testProp(
  'any change of a size, count or hash in the manifest is found',
  [fc.constantFrom(...kinds), fc.constantFrom('bytes', 'records', 'sha256'), fc.integer({ min: 1, max: 1_000 })],
  async (t, kind, member, by) => {
    const mutate = (m: ManifestJson) => {
      for (const file of m.files) {
        if (file['kind'] !== kind) continue;
        const old = file[member];
        file[member] = typeof old === 'number' ? old + by : createHash('sha256').update(String(by)).digest('hex');
      }
      return m;
    };
    t.is((await (await bundleHarness(t, { manifest: mutate })).problems()).length, 1);
  },
  { numRuns: 25 },
);

testProp(
  'any changed byte of a file is found',
  [fc.constantFrom(...kinds), fc.nat(), fc.integer({ min: 1, max: 255 })],
  async (t, kind, position, by) => {
    const line = Buffer.from(`${JSON.stringify(valid[kind as keyof typeof valid])}\n`);
    const good = createHash('sha256').update(line).digest('hex');
    const at = position % line.length;
    line[at] = ((line[at] ?? 0) + by) % 256;
    const harness = await bundleHarness(t, { raw: { [kind]: line }, manifest: changed(kind, { sha256: good }) });
    t.true((await harness.problems()).length > 0);
  },
  { numRuns: 25 },
);
