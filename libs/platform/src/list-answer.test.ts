import { fc, testProp } from '@fast-check/ava';
import { RelayError, type ErrorCode } from '@ranger-relay/errors';
import test from 'ava';
import { readListAnswer, type ListAnswer } from './list-answer.ts';
import { answerWith } from './test/scripted-http.ts';

const read = (status: number, body: unknown = '', count = 2, retryAfterMs?: number): ListAnswer | RelayError => {
  try {
    return readListAnswer(answerWith(status, body, retryAfterMs), { integrationId: 'park', count });
  } catch (error) {
    if (error instanceof RelayError) return error;
    throw error;
  }
};

const codeOf = (result: ListAnswer | RelayError): string => (result instanceof RelayError ? result.code : result.kind);

test('200 with readable JSON is accepted', (t) => {
  t.deepEqual(read(200, [{ object_id: 'a' }, { object_id: 'b' }]), { kind: 'accepted' });
  t.deepEqual(read(200, { object_id: 'a' }, 1), { kind: 'accepted' });
});

test('200 that cannot be read may have been stored: transient and ambiguous', (t) => {
  for (const body of ['', '[{"object_id":', '<html>welcome</html>']) {
    const result = read(200, body) as RelayError;
    t.is(result.code, 'platform_unavailable');
    t.true(result.ambiguous);
  }
});

test('400 with an entry per item names the offenders', (t) => {
  t.deepEqual(read(400, [{}, { location: ['bad'] }]), {
    kind: 'refused',
    offenders: [{ index: 1, reason: '{"location":["bad"]}' }],
  });
  t.deepEqual(read(400, ['bad', null, '', [], ['x']], 5), {
    kind: 'refused',
    offenders: [
      { index: 0, reason: '"bad"' },
      { index: 4, reason: '["x"]' },
    ],
  });
});

test('400 that names no item is for the caller to halve', (t) => {
  for (const body of [[{}, {}], [{ location: ['bad'] }], { location: ['bad'] }, [], '', '<html>', 'null', '7'])
    t.is(codeOf(read(400, body)), 'refused_list');
});

test('400 that names the API key, alone or on every item, is a refused key', (t) => {
  const one = { non_field_errors: ['This API Key has no integration'] };
  for (const body of [one, [one, one], [one], { non_field_errors: 'Invalid api_key' }]) {
    const result = read(400, body) as RelayError;
    t.is(result.code, 'api_key_refused');
    t.true(result.confined);
    t.false(result.ambiguous);
  }
});

test('an item that only mentions the words is an offender, not a refused key', (t) => {
  t.is(codeOf(read(400, [{ non_field_errors: ['API Key'] }, {}])), 'refused');
  t.is(codeOf(read(400, [{ text: ['API Key'] }, { text: ['API Key'] }])), 'refused');
  t.is(codeOf(read(400, { non_field_errors: ['the dates overlap'] })), 'refused_list');
});

test('reasons are bounded and hold no secrets', (t) => {
  const result = read(400, [{ token: 'c4n4ry', link: 'https://u:c4n4ry@h/?q=c4n4ry' }, { text: ['x'.repeat(5_000)] }]);
  t.is(codeOf(result), 'refused');
  t.false(JSON.stringify(result).includes('c4n4ry'));
  t.true(JSON.stringify(result).length < 700);
});

const table: [number, unknown, ErrorCode | ListAnswer['kind'], boolean][] = [
  [401, { message: 'no' }, 'api_key_refused', false],
  [403, '', 'api_key_refused', false],
  [404, { detail: 'Not found.' }, 'integration_gone', false],
  [404, { message: 'no Route matched with those values' }, 'platform_unavailable', false],
  [404, '<html>no backend</html>', 'platform_unavailable', false],
  [404, '', 'platform_unavailable', false],
  [408, '', 'platform_unavailable', false],
  [429, '', 'platform_rate_limited', false],
  [500, '', 'platform_unavailable', true],
  [502, '<html>', 'platform_unavailable', true],
  [503, '', 'platform_unavailable', true],
  [504, '', 'platform_unavailable', true],
  [302, '', 'platform_unavailable', false],
  [413, '<html>', 'refused_list', false],
  [422, {}, 'refused_list', false],
];
for (const [status, body, code, ambiguous] of table)
  test(`${status} with ${JSON.stringify(body)} means ${code}`, (t) => {
    const result = read(status, body);
    t.is(codeOf(result), code);
    t.is(result instanceof RelayError && result.ambiguous, ambiguous);
  });

test('the wait that was asked for goes along', (t) => {
  t.is((read(429, '', 2, 9_000) as RelayError).retryAfterMs, 9_000);
  t.is((read(503, '', 2, 9_000) as RelayError).retryAfterMs, 9_000);
});

testProp(
  'every status and every body of every length has a meaning, and offenders are items of the list',
  [
    fc.integer({ min: 0, max: 700 }),
    fc.oneof(
      fc.string(),
      fc.json(),
      fc.json().map((j) => `[${j},{},${j}]`),
    ),
    fc.integer({ min: 1, max: 100 }),
  ],
  (t, status, body, count) => {
    const result = read(status, body, count);
    if (result instanceof RelayError) {
      t.true(
        ['api_key_refused', 'integration_gone', 'platform_unavailable', 'platform_rate_limited'].includes(result.code),
      );
      t.true(result.message.length < 1_000);
      return;
    }
    if (result.kind === 'accepted') t.true(status >= 200 && status < 300);
    if (result.kind !== 'refused') return t.pass();
    t.true(result.offenders.length > 0 && result.offenders.length <= count);
    for (const { index, reason } of result.offenders) t.true(index >= 0 && index < count && reason.length <= 200);
  },
);

testProp(
  'nothing below 400 or from 500 on refuses an item for good',
  [fc.integer({ min: 0, max: 999 }), fc.string()],
  (t, status, body) => {
    fc.pre(status < 400 || status >= 500);
    const result = read(status, body);
    t.true(result instanceof RelayError ? result.next === 'retry' : result.kind === 'accepted');
  },
);
