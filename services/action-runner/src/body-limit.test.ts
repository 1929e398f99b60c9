import { defineAction } from '@ranger-relay/actions';
import { topics } from '@ranger-relay/contracts';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { loopbackPlatform } from './test/loopback-platform.ts';
import { busOf, configOf, startRunner, storeOf, valuesOn } from './test/started.ts';

const park = '11111111-2222-4333-8444-555555555555';
const limit = 1_500;

const call = { integration_id: park, action_id: 'count' };

const padded = (bytes: number, body: (pad: string) => object): string =>
  JSON.stringify(body('x'.repeat(bytes - JSON.stringify(body('')).length)));

/** A call as JSON of exactly so many bytes. */
const callOf = (bytes: number): string => padded(bytes, (pad) => ({ ...call, config_overrides: { pad } }));

/** A message with that call in it, of exactly so many bytes. */
const messageOf = (bytes: number): string => {
  const data = Buffer.from(JSON.stringify(call)).toString('base64');
  return padded(bytes, (pad) => ({ message: { data, attributes: { pad }, messageId: 'm' } }));
};

const setUp = async (t: ExecutionContext) => {
  const platform = await loopbackPlatform(t, park);
  platform.configurations = { count: {} };
  const config = configOf({ ...platform.env, ACTIONS_MAX_BODY_BYTES: String(limit) });
  const { bus } = await busOf(t, config);
  const runs = { count: 0 };
  const action_count = defineAction({ type: 'generic', config: z.object({}), run: () => (runs.count += 1) });
  const runner = await startRunner(t, { config, bus, kv: await storeOf(t), handlers: { action_count } });
  return { ...runner, runs, letters: () => valuesOn(bus, topics.deadLetters.name) };
};

const tooLarge = { detail: { code: 'body_too_large' } };

test('a call of as many bytes as are allowed runs, one byte more is 413 and nothing runs', async (t) => {
  const { post, runs } = await setUp(t);
  t.is((await post('/v1/actions/execute', callOf(limit))).status, 200);
  t.is(runs.count, 1);
  t.like(await post('/v1/actions/execute', callOf(limit + 1)), { status: 413, json: tooLarge });
  t.is(runs.count, 1);
});

test('a call that does not say how long it is counts as it comes', async (t) => {
  const { call: send, runs } = await setUp(t);
  const inChunks = (bytes: number) => {
    const text = callOf(bytes);
    const body = ReadableStream.from([text.slice(0, 700), text.slice(700)]).pipeThrough(new TextEncoderStream());
    return send('/v1/actions/execute', { method: 'POST', body, duplex: 'half' } as RequestInit);
  };
  t.is((await inChunks(limit)).status, 200);
  const refused = await inChunks(limit + 1);
  t.is(refused.status, 413);
  t.like(JSON.parse(refused.text), tooLarge);
  t.is(runs.count, 1);
});

test('a message of as many bytes as are allowed runs, one byte more is kept in the dead letters and nothing runs', async (t) => {
  const { post, runs, letters } = await setUp(t);
  t.is((await post('/', messageOf(limit + 1))).status, 200);
  t.is(runs.count, 0);
  t.like((await letters())[0], { kind: 'push_envelope', reason: 'request_malformed', truncated: true });
  t.is((await post('/', messageOf(limit))).status, 200);
  t.is(runs.count, 1);
  t.is((await letters()).length, 1);
});
