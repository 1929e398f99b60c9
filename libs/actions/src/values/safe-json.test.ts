import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { safeJson } from './safe-json.ts';

test('a cycle is cut where it closes, and what is met twice is kept twice', (t) => {
  const shared = { a: 1 };
  const value: Record<string, unknown> = { one: shared, two: shared };
  value['self'] = value;
  t.deepEqual(safeJson(value), { one: { a: 1 }, two: { a: 1 }, self: '[cycle]' });
});

test('what JSON does not know becomes what it does', (t) => {
  t.is(safeJson(undefined), null);
  t.is(
    safeJson(() => 1),
    null,
  );
  t.is(safeJson(12n), '12');
  t.deepEqual(safeJson({ n: Number.NaN, d: new Date(0), u: undefined, s: Symbol('x'), f: () => 1 }), {
    n: null,
    d: '1970-01-01T00:00:00.000Z',
    s: null,
  });
  t.deepEqual(safeJson([new Map([['k', 1]]), new Set([2]), new Uint8Array(3), new TypeError('no')]), [
    { k: 1 },
    [2],
    '[3 bytes]',
    { name: 'TypeError', message: 'no' },
  ]);
});

test('what throws while it is looked at is no reason to fail', (t) => {
  const bad = {
    fine: 1,
    get broken() {
      throw new Error('no');
    },
    json: {
      toJSON() {
        throw new Error('no');
      },
    },
    proxy: new Proxy(
      {},
      {
        ownKeys() {
          throw new Error('no');
        },
      },
    ),
  };
  t.deepEqual(safeJson(bad), { fine: 1, broken: '[unreadable]', json: '[unreadable]', proxy: '[unreadable]' });
});

test('depth and size are bounded', (t) => {
  let deep: unknown = 'x';
  for (let n = 0; n < 100_000; n += 1) deep = [deep];
  t.true(JSON.stringify(safeJson(deep)).length < 1_000);
  const wide = safeJson(Array.from({ length: 200_040 }, () => ({}))) as unknown[];
  t.is(wide.filter((item) => item === '[cut]').length, 41);
});

testProp(
  'what JSON can hold stays as it is, and anything can be written',
  [fc.jsonValue(), fc.anything()],
  (t, json, any) => {
    t.is(JSON.stringify(safeJson(json)), JSON.stringify(json));
    t.notThrows(() => JSON.stringify(safeJson(any)));
  },
);
