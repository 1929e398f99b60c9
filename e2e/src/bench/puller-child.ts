import { commandsTopicSpec } from '@ranger-relay/actions';
import { compose as composeRunner, parseRunnerConfig } from '@ranger-relay/action-runner';
import { compose as composeForwarder, parseForwarderConfig } from '@ranger-relay/observation-forwarder';
import { openGround } from './outside.ts';

/** The action runner, and behind the same bus the forwarder, with the real platform client before a simulated platform. */
const [token = ''] = process.argv.slice(2);
const config = parseRunnerConfig({
  PORT: '0',
  HOST: '127.0.0.1',
  AUTH_TOKEN: token,
  HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
  SCHEDULER: 'platform',
});
const topics = [commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)];
const { context, bus, kv, platform } = await openGround('action-runner', topics);
const { port } = await composeRunner(context, { bus, kv, platform }, config);
await composeForwarder(
  context,
  { bus, kv, sensors: platform.sensors, activity: platform.activity },
  parseForwarderConfig({ PORT: '0', HOST: '127.0.0.1' }),
);
process.send?.({ url: `http://127.0.0.1:${port}/v1/actions/execute` });
