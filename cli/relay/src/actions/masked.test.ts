import { fc, testProp } from '@fast-check/ava';
import { mask } from '@ranger-relay/runtime';
import test from 'ava';
import { masked } from './masked.ts';

test('members whose names say secret are masked at any depth, the switches among them are not', (t) => {
  t.deepEqual(masked([{ a: { api_key: ['x'], token: null, has_token: true }, url: 'https://u:p@h/x?key=1' }]), [
    { a: { api_key: mask, token: null, has_token: true }, url: `https://${mask}@h/x?${mask}` },
  ]);
});

test('long lists stay whole', (t) => {
  const list = Array.from({ length: 1_000 }, (_, n) => ({ n }));
  t.deepEqual(masked(list), list);
});

test('what is nested without end does not end the process', (t) => {
  const depth = 100_000;
  t.notThrows(() => masked(JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)));
});

const plain = fc.jsonValue({ stringUnit: fc.constantFrom('a', 'b', '1', ' ') });

testProp('what holds no secret is unchanged', [plain], (t, value) => {
  const given: unknown = JSON.parse(JSON.stringify(value));
  t.deepEqual(masked(given), given);
});
