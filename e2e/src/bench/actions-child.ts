import { setTimeout as sleep } from 'node:timers/promises';
import { actionsEnv, commandsTopicSpec, defineAction, discoverActions, serveActions } from '@ranger-relay/actions';
import { commonEnv, parseEnv } from '@ranger-relay/runtime';
import { z } from 'zod';
import { openGround } from './outside.ts';

/** A service whose action does nothing, with the real platform client before a simulated platform. */
const [token = ''] = process.argv.slice(2);
const INTEGRATION_TYPE_SLUG = 'device_connector';

const action_nothing = defineAction({ type: 'generic', config: z.object({}), run: () => ({}) });

const config = {
  ...parseEnv({ ...actionsEnv, ...commonEnv }, { AUTH_TOKEN: token, LOG_LEVEL: 'warn' }),
  INTEGRATION_TYPE_SLUG,
  HOST: '127.0.0.1',
  PORT: 0,
};
const ground = await openGround('bench', [commandsTopicSpec(config, INTEGRATION_TYPE_SLUG)]);
const { context, kv } = ground;
const begun = performance.now();
const { port } = await serveActions(context, ground, config, {
  name: 'bench',
  title: 'Bench',
  version: '0',
  time: () => context.clock.now(),
  catalogue: discoverActions({ action_nothing }),
});
while (!context.health.ready().ok) await sleep(5);
const readyMs = performance.now() - begun;

process.on('message', () => void ground.roundTrips().then((count) => process.send?.(count)));
process.send?.({ url: `http://127.0.0.1:${port}/`, readyMs, isRemote: kv.ready() && 'KAFKA_BROKERS' in process.env });
