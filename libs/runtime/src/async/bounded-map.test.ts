import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { BoundedMap } from '../index.ts';

test('a full map drops what was not used for longest', (t) => {
  const map = new BoundedMap<number>(2);
  map.set('a', 1);
  map.set('b', 2);
  t.is(map.get('a'), 1);
  map.set('c', 3);
  t.is(map.get('b'), undefined);
  t.is(map.get('a'), 1);
  t.is(map.size, 2);
  map.delete('a');
  t.is(map.size, 1);
});

const keys = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('set' as const), key: keys, value: fc.nat() }),
    fc.record({ kind: fc.constantFrom('get' as const, 'has' as const, 'delete' as const), key: keys }),
  ),
);

testProp(
  'it holds what a list does that is ordered by use and cut at the limit',
  [steps, fc.integer({ min: 1, max: 4 })],
  (t, all, limit) => {
    const map = new BoundedMap<number>(limit);
    t.is(map.size, 0);
    let list: (readonly [string, number])[] = [];
    for (const step of all) {
      const found = list.find(([key]) => key === step.key);
      const others = list.filter((entry) => entry !== found);
      if (step.kind === 'set') {
        map.set(step.key, step.value);
        list = [...others, [step.key, step.value] as const].slice(-limit);
      } else if (step.kind === 'get') {
        t.is(map.get(step.key), found?.[1]);
        if (found) list = [...others, found];
      } else if (step.kind === 'has') t.is(map.has(step.key), found !== undefined);
      else {
        t.is(map.delete(step.key), found !== undefined);
        list = others;
      }
      t.deepEqual([...map], list);
    }
  },
);
