import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { overrideOption } from './place.ts';

test('members and objects add up, later ones win', (t) => {
  let overrides = overrideOption('days=2', undefined);
  overrides = overrideOption('{"days":3,"name":"a=b"}', overrides);
  overrides = overrideOption('start="2026-01-31T00:00:00Z"', overrides);
  t.deepEqual(overrides, { days: 3, name: 'a=b', start: '2026-01-31T00:00:00Z' });
});

testProp('any JSON can be the value of a member', [fc.jsonValue()], (t, value) => {
  t.deepEqual<unknown, unknown>(overrideOption(`key=${JSON.stringify(value)}`, undefined), {
    key: JSON.parse(JSON.stringify(value)),
  });
});

for (const text of [
  'password=s3cret-word',
  '{"password":"s3cret-word"',
  '["s3cret-word"]',
  's3cret-word',
  '=s3cret-word',
])
  test(`what is no JSON is refused without showing it: ${text}`, (t) => {
    const error = t.throws(() => overrideOption(text, undefined));
    t.false(error.message.includes('s3cret-word'));
    t.regex(error.message, /JSON/);
  });
