import { eventTopics, runService } from '@ranger-relay/service';
import { compose, ingesterEnv, ingesterProblems } from './index.ts';

const code = await runService(process, {
  name: 'webhook-ingester',
  env: ingesterEnv,
  rules: ingesterProblems,
  takes: eventTopics,
  start: (context, { bus, kv, platform, clockGuard }, config) =>
    compose(
      context,
      {
        bus,
        kv,
        activity: platform.activity,
        loadIntegration: platform.integrations.loadIntegration,
        clockGuard,
      },
      config,
    ),
});
process.exit(code);
