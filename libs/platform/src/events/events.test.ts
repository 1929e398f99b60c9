import { RelayError, type ErrorCode } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { httpAnswer, broken, scriptedHttp } from '@ranger-relay/http/testing';
import test, { type ExecutionContext } from 'ava';
import type { ApiKeys } from '../api-key.ts';
import { createEvents } from './events.ts';

const event = { title: 'Fire', recorded_at: '2026-01-01T00:00:00Z' };
const file = { name: 'a.jpg', type: 'image/jpeg', bytes: Buffer.from('bytes') };

const setUp = (answers: (() => HttpAnswer | Promise<HttpAnswer>)[], keyList = ['k1', 'k2']) => {
  const complaints: string[] = [];
  let at = 0;
  const keys: ApiKeys = {
    apiKey: async () => ({ value: keyList[at] ?? broken('platform_unavailable') }),
    refused: (_, { value }) => {
      complaints.push(value);
      if (value === keyList[at]) at += 1;
    },
  };
  const http = scriptedHttp(() => (answers.shift() ?? (() => httpAnswer(200, { object_id: 'o1' })))());
  return { http, events: createEvents('https://sensors.example', http, keys), complaints };
};

const failing = async (t: ExecutionContext, call: Promise<unknown>, code: ErrorCode): Promise<RelayError> => {
  const error = await t.throwsAsync(call, { instanceOf: RelayError });
  t.is(error.code, code);
  return error;
};

const refused = () => httpAnswer(401, { message: 'no' });
const ids = (...list: string[]) =>
  httpAnswer(
    200,
    list.map((object_id) => ({ object_id, created_at: 'x' })),
  );

test('a list of events is answered with their ids in order', async (t) => {
  const { http, events } = setUp([() => ids('a', 'b')]);
  const options = { traceparent: '00-a-b-01' };
  t.deepEqual(await events.post('p', [event, event], options), { kind: 'accepted', ids: ['a', 'b'] });
  t.like(http.requests[0], {
    method: 'POST',
    url: 'https://sensors.example/v2/events/',
    json: [event, event],
    headers: { apikey: 'k1', traceparent: '00-a-b-01' },
    connectMs: 2_000,
    totalMs: 30_000,
  });
});

test('a list of one may be answered with an object', async (t) => {
  const { events } = setUp([]);
  t.deepEqual(await events.post('p', [event]), { kind: 'accepted', ids: ['o1'] });
});

test('an event without an id in the answer is not accepted', async (t) => {
  const { events } = setUp([() => httpAnswer(200, [{}, { object_id: 'b' }]), () => ids('a')]);
  t.deepEqual(await events.post('p', [event, event]), { kind: 'accepted', ids: [undefined, 'b'] });
  t.true((await failing(t, events.post('p', [event, event]), 'platform_unavailable')).ambiguous);
});

test('refused events are named, and a list that names none is for the caller to halve', async (t) => {
  const { events, http } = setUp([
    () => httpAnswer(400, [{}, { priority: ['bad'] }]),
    () => httpAnswer(400, { priority: ['bad'] }),
  ]);
  t.deepEqual(await events.post('p', [event, event]), {
    kind: 'refused',
    offenders: [{ index: 1, reason: '{"priority":["bad"]}' }],
  });
  t.is((await events.post('p', [event, event])).kind, 'refused_list');
  t.is(http.requests.length, 2);
});

test('a change goes to its event alone', async (t) => {
  const { http, events } = setUp([]);
  t.deepEqual(await events.patch('p', 'a/b', { status: 'resolved' }), { kind: 'accepted' });
  t.like(http.requests[0], {
    method: 'PATCH',
    url: 'https://sensors.example/v2/events/a%2Fb/',
    json: { status: 'resolved' },
  });
});

test('a file goes as one multipart field with its name and type', async (t) => {
  const { http, events } = setUp([]);
  t.deepEqual(await events.attach('p', 'o', { ...file, name: 'a"b\r\nc.jpg' }), { kind: 'accepted' });
  const { url, headers, body } = http.requests[0] ?? t.fail();
  t.is(url, 'https://sensors.example/v2/events/o/attachments/');
  const type = headers?.['content-type'] ?? '';
  const form = await new Response(Buffer.from(body ?? ''), { headers: { 'content-type': type } }).formData();
  const [sent, ...more] = form.getAll('file') as File[];
  t.deepEqual(more, []);
  t.is(sent?.name, 'a"b\r\nc.jpg');
  t.is(sent?.type, 'image/jpeg');
  t.is(await sent?.text(), 'bytes');
});

test('a type that is none is sent as plain bytes, a name that is none as a word', async (t) => {
  const { http, events } = setUp([]);
  await events.attach('p', 'o', { ...file, name: '', type: 'image/jpeg\r\nx: y' });
  const text = Buffer.from(http.requests[0]?.body ?? '').toString();
  t.regex(text, /filename="file"\r\nContent-Type: application\/octet-stream\r\n\r\nbytes\r\n--/);
});

for (const [what, call] of [
  ['a change', (events: ReturnType<typeof createEvents>) => events.patch('p', 'o', { status: 'x' })],
  ['a file', (events: ReturnType<typeof createEvents>) => events.attach('p', 'o', file)],
] as const) {
  test(`${what} of an event that the platform does not know is an answer`, async (t) => {
    t.deepEqual(await call(setUp([() => httpAnswer(404, { detail: 'Not found.' })]).events), {
      kind: 'unknown_event',
    });
  });

  test(`${what} that something in between answers with 404 is transient`, async (t) => {
    const { events } = setUp([() => httpAnswer(404, '<html>'), () => httpAnswer(404, { message: 'x' })]);
    for (let n = 0; n < 2; n += 1) await failing(t, call(events), 'platform_unavailable');
  });

  test(`${what} that is refused is an answer with the reason`, async (t) => {
    const { events, http } = setUp([() => httpAnswer(400, { status: ['no such state'] })]);
    const answer = await call(events);
    t.is(answer.kind, 'refused');
    t.regex(answer.kind === 'refused' ? answer.reason : '', /no such state/);
    t.is(http.requests.length, 1);
  });
}

test('a file of a size or type that is not taken is refused, whoever says so', async (t) => {
  for (const status of [413, 415])
    t.like(await setUp([() => httpAnswer(status, '<html>')]).events.attach('p', 'o', file), { kind: 'refused' });
});

test('a change is made only when its event’s id comes back', async (t) => {
  const { events } = setUp([() => httpAnswer(200, { message: 'Under maintenance' }), () => httpAnswer(202)]);
  for (let n = 0; n < 2; n += 1) await failing(t, events.patch('p', 'o', { status: 'x' }), 'platform_unavailable');
});

test('a call is made once: its caller knows when to repeat it, and how a repetition must differ', async (t) => {
  const { events, http } = setUp([() => httpAnswer(503)]);
  await failing(t, events.post('p', [event]), 'platform_unavailable');
  t.is(http.requests.length, 1);
});

test('a refused key is replaced within the same try; one that stays refused is not tried on', async (t) => {
  const first = setUp([refused]);
  t.deepEqual(await first.events.patch('p', 'o', { status: 'x' }), { kind: 'accepted' });
  t.deepEqual(
    first.http.requests.map(({ headers }) => headers?.['apikey']),
    ['k1', 'k2'],
  );
  const second = setUp([refused, refused]);
  await failing(t, second.events.attach('p', 'o', file), 'api_key_refused');
  t.deepEqual(second.complaints, ['k1', 'k2']);
  const bound = { non_field_errors: ['Your API Key is not associated with an Integration.'] };
  const third = setUp([() => httpAnswer(400, bound), () => httpAnswer(400, bound)], ['k1', 'k1']);
  await failing(t, third.events.patch('p', 'o', { status: 'x' }), 'api_key_refused');
});

test('neither key nor file nor text shows in an error', async (t) => {
  const secret = 'c4n4ry';
  const { events } = setUp([() => httpAnswer(503)], [secret]);
  const error = await t.throwsAsync(events.attach('p', 'o', { ...file, bytes: Buffer.from(secret) }));
  t.false(`${error.message}${error.stack}${JSON.stringify(error)}`.includes(secret));
});
