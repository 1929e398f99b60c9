import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { keyOf, type KubeObject } from '../api/object.ts';
import { createCache, isNewer } from './cache.ts';
import type { WatchEvent } from './event.ts';

test('counts are compared as numbers of any length', (t) => {
  t.true(isNewer('10', '9'));
  t.false(isNewer('9', '10'));
  t.false(isNewer('10', '10'));
  t.true(isNewer('90071992547409930', '90071992547409929'));
});

test('what is no count cannot be compared', (t) => {
  for (const odd of ['', '0', '01', 'x1', '-1', '1.5', '9'.repeat(40)]) {
    t.is(isNewer(odd, '5'), undefined, odd);
    t.is(isNewer('5', odd), undefined, odd);
  }
});

const object = (name: string, version: number | string, uid = 'u'): KubeObject => ({
  metadata: { name, namespace: 'park', uid, resourceVersion: String(version) },
});
const changed = (name: string, version: number | string, uid = 'u'): WatchEvent => ({
  type: 'changed',
  object: object(name, version, uid),
});
const deleted = (name: string, version: number | string): WatchEvent => ({
  type: 'deleted',
  object: object(name, version),
});

test('an event that was told before changes nothing, also after its object is gone', (t) => {
  const cache = createCache();
  cache.replace([], '1');
  t.truthy(cache.apply(changed('a', 2)));
  t.is(cache.apply(changed('a', 2)), undefined);
  t.truthy(cache.apply(changed('a', 3)));
  t.is(cache.apply(changed('a', 2)), undefined);
  t.is(cache.get('park/a')?.metadata.resourceVersion, '3');
  t.truthy(cache.apply(deleted('a', 4)));
  t.is(cache.apply(changed('a', 3)), undefined);
  t.is(cache.size, 0);
});

test('an older list is taken as it is: the server may have been restored', (t) => {
  const cache = createCache();
  cache.replace([object('a', 90), object('b', 95)], '100');
  t.deepEqual(
    cache.replace([object('a', 7)], '10').map(({ key, object }) => [key, object?.metadata.resourceVersion]),
    [
      ['park/b', undefined],
      ['park/a', '7'],
    ],
  );
  t.is(cache.version(), '10');
});

test('versions that are no counts are taken in the order in which they come', (t) => {
  const cache = createCache();
  cache.replace([], 'x-9');
  t.truthy(cache.apply(changed('a', 'x-5')));
  t.is(cache.apply(changed('a', 'x-5')), undefined);
  t.truthy(cache.apply(changed('a', 'x-4')));
  t.is(cache.version(), 'x-4');
});

test('an object of the same name and version with another uid is another one', (t) => {
  const cache = createCache();
  cache.replace([object('a', 5)], '5');
  t.is(cache.replace([object('a', 5)], '6').length, 0);
  t.is(cache.replace([object('a', 5, 'v')], '7').length, 1);
});

test('bookmarks move the version alone, what is unknown nothing', (t) => {
  const cache = createCache();
  cache.replace([object('a', 5)], '5');
  t.is(cache.apply({ type: 'bookmark', version: '9' }), undefined);
  t.is(cache.version(), '9');
  t.is(cache.apply({ type: 'bookmark', version: '8' }), undefined);
  t.is(cache.version(), '9');
  t.is(cache.apply({ type: 'other' }), undefined);
  t.is(cache.size, 1);
});

test('who manages which field is not kept', (t) => {
  const cache = createCache();
  const metadata = { ...object('a', 2).metadata, managedFields: [{ manager: 'x' }] };
  cache.replace([{ metadata }], '2');
  t.false('managedFields' in (cache.get('park/a')?.metadata ?? {}));
});

/** A history of one server: each step makes, changes or deletes an object, at the next version. */
const history = fc.array(fc.record({ name: fc.constantFrom('a', 'b', 'c'), gone: fc.boolean() }), { maxLength: 40 });
const told = fc.array(fc.integer({ min: -6, max: 1 }), { maxLength: 120, size: 'max' });

testProp(
  'whatever is told again, the cache is what the server had at the last version that was told',
  [history, told],
  (t, steps, jumps) => {
    const cache = createCache();
    cache.replace([], '10');
    const events = steps.map(({ name, gone }, n) => (gone ? deleted(name, 11 + n) : changed(name, 11 + n)));
    const state = new Map<string, string>();
    let next = 0;
    const tell = (at: number): void => {
      const event = events[at];
      if (event) cache.apply(event);
    };
    for (const jump of jumps) {
      if (jump === 1) {
        const event = events[next];
        tell(next);
        next += 1;
        if (event?.type === 'changed') state.set(keyOf(event.object.metadata), String(10 + next));
        if (event?.type === 'deleted') state.delete(keyOf(event.object.metadata));
      } else tell(next - 1 + jump);
    }
    t.deepEqual(
      new Map(cache.values().map(({ metadata }) => [keyOf(metadata), metadata.resourceVersion])),
      new Map(state),
    );
  },
  { numRuns: 500 },
);
