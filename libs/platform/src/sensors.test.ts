import type { Message, Observation } from '@ranger-relay/contracts';
import { RelayError, type ErrorCode } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { httpAnswer, broken, scriptedHttp } from '@ranger-relay/http/testing';
import { manualClock } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { createApiKeys, type ApiKeys } from './api-key.ts';
import { createSensors } from './sensors.ts';

const observation = { source: 'i', recorded_at: '2026-01-01T00:00:00Z', location: { lat: 1, lon: 2 } } as Observation;
const message = {
  source: 'i',
  sender: 'i',
  recipients: [],
  text: 'x',
  recorded_at: '2026-01-01T00:00:00Z',
} as unknown as Message;

const setUp = (answers: (() => HttpAnswer)[], keyList = ['k1', 'k2', 'k3']) => {
  const complaints: string[] = [];
  let at = 0;
  const keys: ApiKeys = {
    apiKey: async () => ({ value: keyList[at] ?? broken('platform_unavailable') }),
    refused: (_, { value }) => {
      complaints.push(value);
      if (value === keyList[at]) at += 1;
    },
  };
  const http = scriptedHttp(({ json }) =>
    (
      answers.shift() ??
      (() =>
        httpAnswer(
          200,
          (json as []).map(() => ({ object_id: 'o' })),
        ))
    )(),
  );
  return { http, complaints, sensors: createSensors('https://sensors.example', http, keys) };
};

const failing = async (t: ExecutionContext, post: Promise<unknown>, code: ErrorCode): Promise<RelayError> => {
  const error = await t.throwsAsync(post, { instanceOf: RelayError });
  t.is(error.code, code);
  return error;
};

const refused = () => httpAnswer(401, { message: 'no' });

test('lists go to their paths with the key and the trace', async (t) => {
  const { http, sensors } = setUp([]);
  t.like(await sensors.postObservations('p', [observation, observation]), { kind: 'accepted' });
  await sensors.postMessages('p', [message], { traceparent: '00-a-b-01' });
  t.like(http.requests[0], {
    method: 'POST',
    url: 'https://sensors.example/v2/observations/',
    json: [observation, observation],
    connectMs: 2_000,
    totalMs: 30_000,
  });
  t.deepEqual(http.requests[0]?.headers, { apikey: 'k1' });
  t.is(http.requests[1]?.url, 'https://sensors.example/v2/messages/');
  t.deepEqual(http.requests[1]?.headers, { apikey: 'k1', traceparent: '00-a-b-01' });
});

test('a refused key is replaced and the list posted once more', async (t) => {
  const { http, complaints, sensors } = setUp([refused]);
  t.like(await sensors.postObservations('p', [observation]), { kind: 'accepted' });
  t.deepEqual(
    http.requests.map(({ headers }) => headers?.['apikey']),
    ['k1', 'k2'],
  );
  t.deepEqual(complaints, ['k1']);
});

test('another key that is refused too ends it after two posts', async (t) => {
  const { http, complaints, sensors } = setUp([refused, refused, refused]);
  const error = await failing(t, sensors.postObservations('p', [observation]), 'api_key_refused');
  t.true(error.confined);
  t.is(http.requests.length, 2);
  t.deepEqual(complaints, ['k1', 'k2']);
});

test('the list is posted once more at once also when the key that was fetched is the same', async (t) => {
  const { http, sensors } = setUp([refused], ['k1', 'k1']);
  t.like(await sensors.postObservations('p', [observation]), { kind: 'accepted' });
  t.is(http.requests.length, 2);
});

test('a key that the platform takes again serves at once, though it may not be asked for yet', async (t) => {
  const clock = manualClock();
  let asked = 0;
  const keys = createApiKeys({ get: async () => ((asked += 1), { api_key: 'k1' }) }, clock);
  const statuses = [401, 401, 401];
  const http = scriptedHttp(() => httpAnswer(statuses.shift() ?? 200, [{ object_id: 'o' }]));
  const sensors = createSensors('https://sensors.example', http, keys);
  await failing(t, sensors.postObservations('p', [observation]), 'api_key_refused');
  await clock.advance(2_000);
  await failing(t, sensors.postObservations('p', [observation]), 'api_key_refused');
  await clock.advance(2_000);
  t.like(await sensors.postObservations('p', [observation]), { kind: 'accepted' });
  t.deepEqual([http.requests.length, asked], [4, 2]);
});

test('an error of fetching the other key is what the caller hears', async (t) => {
  const { sensors } = setUp([refused], ['k1']);
  await failing(t, sensors.postObservations('p', [observation]), 'platform_unavailable');
});

test('a broken call is transient, and ambiguous when the list may have arrived', async (t) => {
  for (const [code, ambiguous] of [
    ['http_connect', false],
    ['http_timeout', false],
    ['http_timeout', true],
    ['http_reset', true],
    ['http_body_too_large', true],
    ['http_address_refused', false],
  ] as const) {
    const { http, sensors } = setUp([() => broken(code, { ambiguous })]);
    const error = await failing(t, sensors.postMessages('p', [message]), 'platform_unavailable');
    t.is(error.ambiguous, ambiguous);
    t.is(error.next, 'retry');
    t.is(http.requests.length, 1);
  }
});

test('offenders, and lists that name none, are answers', async (t) => {
  const { sensors } = setUp([() => httpAnswer(400, [{}, { text: ['bad'] }]), () => httpAnswer(400, { text: ['bad'] })]);
  t.deepEqual(await sensors.postMessages('p', [message, message]), {
    kind: 'refused',
    offenders: [{ index: 1, reason: '{"text":["bad"]}' }],
  });
  t.is((await sensors.postMessages('p', [message])).kind, 'refused_list');
});

test('no text that a database behind the platform refuses is posted, wherever in an item it stands', async (t) => {
  const { http, sensors } = setUp([]);
  await sensors
    .postMessages('a', [{ ...message, text: 'a\u0000b', additional: { note: ['\uD83D'] } }])
    .catch(() => undefined);
  t.like(http.requests[0]?.json, [{ text: 'ab', additional: { note: ['\uFFFD'] } }]);
});
