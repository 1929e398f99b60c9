import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { imageDefinitions } from './definitions.mjs';
import { sizeWithin, writeList } from './make.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

test('the list keeps what an earlier call made, and has the newest of each image', async (t) => {
  const out = temporaryFolder(t);
  await writeList(out, [
    { name: 'sync-tool', digest: 'old' },
    { name: 'ranger-relay', digest: 'first' },
  ]);
  await writeList(out, [{ name: 'sync-tool', digest: 'new' }]);
  t.deepEqual(JSON.parse(readFileSync(join(out, 'images.json'), 'utf8')), {
    images: [
      { name: 'ranger-relay', digest: 'first' },
      { name: 'sync-tool', digest: 'new' },
    ],
  });
});

const layers = [
  { of: 'node', blob: { size: 108_500_000 } },
  { of: 'app', blob: { size: 31_500_000 } },
];

test('an image of exactly its limit passes', (t) => {
  t.is(sizeWithin('ranger-relay', layers, 140_000_000), 140_000_000);
});

test('an image over its limit fails the build, with what each layer has', (t) => {
  const larger = [...layers, { of: 'system', blob: { size: 1 } }];
  t.throws(() => sizeWithin('ranger-relay', larger, 140_000_000), {
    message: 'ranger-relay has 140.0 MB and may have 140.0 MB: node 108.5 MB, app 31.5 MB, system 0.0 MB',
  });
});

test('the limits are those that were promised', (t) => {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  t.deepEqual(
    imageDefinitions(root).map(({ name, limit }) => [name, limit]),
    [
      ['ranger-relay', 140_000_000],
      ['sync-tool', 130_000_000],
    ],
  );
});
