import test from 'ava';
import { imageDefinitions } from './definitions.mjs';
import { sizeWithin } from './size.mjs';
import { fileURLToPath } from 'node:url';

const layers = [
  { of: 'node', size: 108_500_000 },
  { of: 'app', size: 31_500_000 },
];

test('an image of exactly its limit passes', (t) => {
  t.is(sizeWithin('ranger-relay', layers, 140_000_000), 140_000_000);
});

test('an image over its limit fails the build, with what each layer has', (t) => {
  const larger = [...layers, { of: 'system', size: 1 }];
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
