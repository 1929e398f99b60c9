import { runService } from '@ranger-relay/service';
import { compose, forwarderEnv } from './index.ts';

const code = await runService(process, {
  name: 'observation-forwarder',
  env: forwarderEnv,
  start: (context, { bus, kv, platform: { sensors, activity } }, config) =>
    compose(context, { bus, kv, sensors, activity }, config),
});
process.exit(code);
