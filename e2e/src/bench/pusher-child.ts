import { commandsTopicSpec } from '@ranger-relay/actions';
import { compose, pusherEnv } from '@ranger-relay/message-pusher';
import { parseEnv } from '@ranger-relay/runtime';
import { openGround } from './outside.ts';

/** The message pusher alone, with the real platform client before a simulated platform. */
const [token = ''] = process.argv.slice(2);
const config = parseEnv(pusherEnv, {
  PORT: '0',
  HOST: '127.0.0.1',
  AUTH_TOKEN: token,
  HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
});
const ground = await openGround('message-pusher', [commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)]);
const { port } = await compose(ground.context, ground, config);
process.send?.({ url: `http://127.0.0.1:${port}/push-data` });
