import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { isObject, numberText, parseExactJson } from './exact-json.ts';

for (const text of [
  '{"a":9007199254740993}',
  '{"a":[-12345678901234567890,1],"b":"9007199254740993"}',
  '{"a":0.12345678901234567,"b":{"c":1.00000000000000001e30}}',
  '{"#":"##","a": 9007199254740993 }',
])
  test(`${text} is written again with every digit`, (t) => {
    t.is(JSON.stringify(parseExactJson(text)), text.replaceAll(' ', ''));
  });

test('numbers that a double keeps stay numbers', (t) => {
  const text = '{"a":9007199254740992,"b":1234567890123456,"c":0.1,"d":[1e30]}';
  t.deepEqual(parseExactJson(text), JSON.parse(text));
});

test('two numbers are the same when all of their digits are', (t) => {
  const [a, b, c] = ['3', '3', '4'].map((last) => parseExactJson(`{"n":900719925474099${last}}`));
  t.deepEqual(a, b);
  t.notDeepEqual(a, c);
  t.is(numberText((a as { n: unknown }).n), '9007199254740993');
});

test('what is no JSON is refused, also with long numbers in it', (t) => {
  for (const text of ['{"a":9007199254740993', '{"a":9007199254740993.}', '[12345678901234567890-1]'])
    t.throws(() => parseExactJson(text), { instanceOf: SyntaxError });
});

testProp('any other JSON is parsed as ever', [fc.jsonValue(), fc.bigInt()], (t, value, big) => {
  const text = JSON.stringify({ value, rest: [0] });
  t.deepEqual(parseExactJson(text), JSON.parse(text));
  t.is(
    JSON.stringify(parseExactJson(`{"big":${big},"value":${JSON.stringify(value)}}`)),
    `{"big":${big},"value":${JSON.stringify(JSON.parse(JSON.stringify(value)))}}`,
  );
});

test('an object of JSON is neither a list nor null', (t) => {
  t.true(isObject({}));
  for (const other of [[], null, undefined, 'a', 1]) t.false(isObject(other));
});
