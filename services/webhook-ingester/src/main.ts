import { runService } from '@ranger-relay/service';
import { compose, ingesterEnv, ingesterProblems } from './index.ts';

const code = await runService(process, {
  name: 'webhook-ingester',
  env: ingesterEnv,
  rules: ingesterProblems,
  start: (context, { bus, kv, platform }, config) =>
    compose(
      context,
      {
        bus,
        kv,
        activity: platform.activity,
        loadIntegration: platform.integrations.loadIntegration,
        platformTime: platform.time,
        askPlatform: platform.askTime,
      },
      config,
    ),
});
process.exit(code);
