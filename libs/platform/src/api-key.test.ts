import { RelayError, type ErrorCode } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createApiKeys } from './api-key.ts';

const setUp = (answer: (n: number) => unknown) => {
  const clock = manualClock();
  const paths: string[] = [];
  const api = {
    get: async (path: string) => {
      paths.push(path);
      return answer(paths.length);
    },
  };
  return { clock, paths, keys: createApiKeys(api, clock) };
};

const failing = async (t: ExecutionContext, key: Promise<unknown>, code: ErrorCode): Promise<RelayError> => {
  const error = await t.throwsAsync(key, { instanceOf: RelayError });
  t.is(error.code, code);
  return error;
};

const numbered = (n: number) => ({ api_key: `k${n}` });

const values = async (...keys: readonly Promise<{ value: string }>[]): Promise<string[]> =>
  (await Promise.all(keys)).map(({ value }) => value);

test('one call gives everybody the key for an hour', async (t) => {
  const { clock, paths, keys } = setUp(numbered);
  t.deepEqual(await values(keys.apiKey('a'), keys.apiKey('a')), ['k1', 'k1']);
  await clock.advance(3_599_999);
  t.is((await keys.apiKey('a')).value, 'k1');
  t.deepEqual(paths, ['/v2/integrations/a/api-key/']);
  await clock.advance(1);
  t.is((await keys.apiKey('a')).value, 'k2');
});

test('a refused key is asked for again, by one call for everybody', async (t) => {
  const { clock, paths, keys } = setUp(numbered);
  const first = await keys.apiKey('a');
  await keys.apiKey('b');
  await clock.advance(60_000);
  for (const _ of [1, 2, 3]) keys.refused('a', first);
  t.deepEqual(await values(keys.apiKey('a'), keys.apiKey('a'), keys.apiKey('b')), ['k3', 'k3', 'k2']);
  t.is(paths.length, 3);
});

for (const [what, answer] of [
  ['another', numbered],
  ['the same', () => ({ api_key: 'same' })],
] as const)
  test(`a complaint about an older key is not heard when ${what} was given since`, async (t) => {
    const { clock, paths, keys } = setUp(answer);
    const old = await keys.apiKey('a');
    await clock.advance(60_000);
    keys.refused('a', old);
    const renewed = await keys.apiKey('a');
    keys.refused('a', old);
    t.is(await keys.apiKey('a'), renewed);
    t.is(paths.length, 2);
    keys.refused('unheard-of', old);
  });

test('a key that is refused again and again is asked for at once, then every five seconds at most', async (t) => {
  const { clock, paths, keys } = setUp(() => ({ api_key: 'same' }));
  for (let second = 0; second < 60; second += 1) {
    // In between the refused one is given: the platform may take it again at any time.
    keys.refused('a', await keys.apiKey('a'));
    await clock.advance(1_000);
  }
  t.is(paths.length, 13);
});

test('404 means that the integration is gone', async (t) => {
  const { keys } = setUp(() => undefined);
  await failing(t, keys.apiKey('a'), 'integration_gone');
  await failing(t, keys.apiKey('../x'), 'integration_gone');
});

test('an integration without a key is like a refused key, its fault alone', async (t) => {
  for (const json of [{ api_key: null }, { api_key: '' }, {}, []]) {
    const { paths, keys } = setUp(() => json);
    for (const _ of [1, 2]) {
      const error = await failing(t, keys.apiKey('a'), 'api_key_refused');
      t.true(error.confined && error.retryAfterMs !== undefined && error.retryAfterMs <= 5_000);
    }
    t.is(paths.length, 1);
  }
});

test('a failed call is not remembered', async (t) => {
  const { keys } = setUp((n) => {
    if (n === 1) throw new RelayError('platform_unavailable', { details: { reason: 'x' } });
    return numbered(n);
  });
  await failing(t, keys.apiKey('a'), 'platform_unavailable');
  t.is((await keys.apiKey('a')).value, 'k2');
});
