import { randomUUID } from 'node:crypto';
import { defineAction, type ActionContext } from '@ranger-relay/actions';
import type { KeyValue } from '@ranger-relay/kv';
import test, { type ExecutionContext } from 'ava';
import { z } from 'zod';
import { loopbackPlatform } from './test/loopback-platform.ts';
import { busOf, configOf, startRunner, storeOf } from './test/started.ts';

const park = '11111111-2222-4333-8444-555555555555';
const fields = z.object({ word: z.string() });

/** Answers what it is configured with. */
const action_echo = defineAction({
  type: 'generic',
  config: fields,
  run: ({ config }: ActionContext<z.output<typeof fields>>) => ({ word: config.word }),
});

/** Two processes on one bus that have both taken the configuration into their memory. */
const setUp = async (t: ExecutionContext, stores: readonly [KeyValue, KeyValue]) => {
  const platform = await loopbackPlatform(t, park);
  platform.configurations = { echo: { word: 'old' } };
  const config = configOf(platform.env);
  const { bus } = await busOf(t, config);
  const [first, second] = [
    await startRunner(t, { config, bus, kv: stores[0], handlers: { action_echo } }),
    await startRunner(t, { config, bus, kv: stores[1], handlers: { action_echo } }),
  ];
  for (const runner of [first, second])
    t.like(await runner.execute(park, 'echo'), { status: 200, json: { word: 'old' } });
  return { platform, first, second };
};

type Runner = Awaited<ReturnType<typeof startRunner>>;

const tell = ({ post }: Runner, event_type: string, payload: object) => {
  const event = {
    event_id: randomUUID(),
    timestamp: new Date().toISOString(),
    schema_version: 'v1',
    event_type,
    payload,
  };
  const data = Buffer.from(JSON.stringify(event)).toString('base64');
  return post('/config-events/', { message: { data, attributes: { event_type }, messageId: randomUUID() } });
};

/** Runs the action until its answer has changed; the last answer. */
const changed = async ({ execute }: Runner) => {
  for (let calls = 0; ; calls += 1) {
    const answer = await execute(park, 'echo');
    const { word } = answer.json as { word?: string };
    if (word !== 'old' || calls > 2_000) return answer;
  }
};

const oneStore = async (t: ExecutionContext): Promise<[KeyValue, KeyValue]> => {
  const kv = await storeOf(t);
  return [kv, kv];
};

for (const [what, storesOf] of [
  ['one store', oneStore],
  ['a store each', async (t: ExecutionContext): Promise<[KeyValue, KeyValue]> => [await storeOf(t), await storeOf(t)]],
] as const) {
  test(`with ${what}, what one process hears of a configuration the other works with at once`, async (t) => {
    const { platform, first, second } = await setUp(t, await storesOf(t));
    const { loads } = platform;
    const payload = { id: 'c', alt_id: 'echo', integration_id: park, changes: { data: { word: 'new' } } };
    t.like(await tell(first, 'ActionConfigUpdated', payload), { status: 200, json: { status: 'success' } });
    t.like(await first.execute(park, 'echo'), { status: 200, json: { word: 'new' } });
    t.like(await changed(second), { status: 200, json: { word: 'new' } });
    t.is(platform.loads, loads, 'nobody asked the platform, which would have said the old word');
  });

  test(`with ${what}, an integration that one process hears is disabled runs at the other no more`, async (t) => {
    const { first, second } = await setUp(t, await storesOf(t));
    await tell(first, 'IntegrationUpdated', { id: park, alt_id: park, changes: { enabled: false } });
    t.is((await first.execute(park, 'echo')).status, 409);
    t.is((await changed(second)).status, 409);
  });
}
