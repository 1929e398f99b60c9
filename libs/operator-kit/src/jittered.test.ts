import { fc, testProp } from '@fast-check/ava';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { jittered } from './jittered.ts';

testProp(
  'a time differs by its share at most',
  [fc.integer({ min: 0, max: 10 ** 9 }), fc.double({ min: 0, max: 1, noNaN: true }), fc.integer()],
  (t, ms, share, seed) => {
    const found = jittered(ms, share, seededRandom(seed));
    t.true(found >= ms * (1 - share) - 1e-6 && found <= ms * (1 + share) + 1e-6);
  },
);
