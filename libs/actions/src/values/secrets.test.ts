import { fc, testProp } from '@fast-check/ava';
import { mask } from '@ranger-relay/runtime';
import test from 'ava';
import { z } from 'zod';
import { createScrubber } from './scrubber.ts';
import { maskedTexts, maskSecrets } from './secrets.ts';

const secret = z.string().meta({ secret: true });
const model = z.object({
  plain: z.string(),
  word: secret,
  wrapped: secret.default('').optional(),
  outside: z.string().default('').meta({ secret: true }),
  list: z.array(z.object({ inner: secret })),
  record: z.record(z.string(), secret),
  either: z.union([z.object({ kind: z.literal('a'), inner: secret }), z.object({ kind: z.literal('b') })]),
  piped: z.string().pipe(secret),
  read: z.preprocess((value) => value, secret),
  lazy: z.lazy(() => secret),
  pair: z.tuple([z.string(), secret]),
  both: z.intersection(z.object({ x: secret }), z.object({ y: z.string() })),
  whole: z.object({ a: z.string() }).meta({ secret: true }),
});

const canary = 'canary-value';
const value = {
  plain: 'shown',
  word: canary,
  wrapped: canary,
  outside: canary,
  list: [{ inner: canary }],
  record: { any: canary },
  either: { kind: 'a', inner: canary },
  piped: canary,
  read: canary,
  lazy: canary,
  pair: ['shown', canary],
  both: { x: canary, y: 'shown' },
  whole: { a: canary },
  unknown_api_key: canary,
};

test('fields marked as secret are masked wherever the mark stands, and those whose names say so', (t) => {
  const masked = maskSecrets(model, value);
  t.false(JSON.stringify(masked).includes(canary));
  t.like(masked as object, { plain: 'shown', both: { x: mask, y: 'shown' }, unknown_api_key: mask });
});

test('what is absent is not masked, and what fits no model is kept', (t) => {
  t.deepEqual(maskSecrets(model, { word: null, plain: 7 }), { word: null, plain: 7 });
  t.is(maskSecrets(model, 'text'), 'text');
  t.is(maskSecrets(model, null), null);
});

/** Chance names members `jwt` now and then. */
const withoutSecrets = fc.jsonValue().filter((json) => maskedTexts(json, maskSecrets(model, json)).length === 0);

testProp(
  'a member that every object inherits is a member like any other',
  [fc.constantFrom(...Object.getOwnPropertyNames(Object.prototype), 'then'), withoutSecrets],
  (t, name, json) => {
    const given = JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(json)},"word":"${canary}"}`) as object;
    const masked = maskSecrets(model, given) as Record<string, unknown>;
    t.is(masked['word'], mask);
    t.deepEqual(Object.keys(masked), [name, 'word']);
    t.deepEqual(maskedTexts(given, masked), [canary]);
  },
);

test('every masked text is known by what was masked', (t) => {
  const found = maskedTexts(value, maskSecrets(model, value));
  t.is(found.length, 13);
  t.deepEqual([...new Set(found)], [canary]);
});

test('known secrets are taken out of texts, values and names, also in other forms', (t) => {
  const scrubber = createScrubber();
  scrubber.add(['p&ss word', 'abc']);
  t.is(scrubber.text('a p&ss word b'), `a ${mask} b`);
  t.is(scrubber.text('x=p%26ss%20word abc'), `x=${mask} abc`);
  t.deepEqual(scrubber.value({ 'p&ss word': ['p&ss word'], token: 'other' }), { [mask]: [mask], token: mask });
  t.is(scrubber.text('at https://u:p@host/a?key=1'), `at https://${mask}@host/a?${mask}`);
});

testProp(
  'a secret of four characters and more never comes through',
  [fc.string({ minLength: 4 }), fc.jsonValue()],
  (t, word, json) => {
    const scrubber = createScrubber();
    scrubber.add([word]);
    const shown = JSON.stringify(scrubber.value({ before: json, inside: `a${word}b`, word }));
    t.true(mask.includes(word) || !(JSON.parse(shown) as { inside: string }).inside.includes(word));
  },
);
