import { runService } from '@ranger-relay/service';
import { compose, ingesterEnv, ingesterProblems } from './index.ts';

const code = await runService(process, {
  name: 'webhook-ingester',
  env: ingesterEnv,
  rules: ingesterProblems,
  start: (context, { bus, kv, platform: { activity, integrations, time } }, config) =>
    compose(context, { bus, kv, activity, loadIntegration: integrations.loadIntegration, platformTime: time }, config),
});
process.exit(code);
