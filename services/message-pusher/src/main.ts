import { commandsTopicSpec } from '@ranger-relay/actions';
import { runService } from '@ranger-relay/service';
import { compose, pusherEnv, pusherProblems } from './index.ts';

const code = await runService(process, {
  name: 'message-pusher',
  env: pusherEnv,
  rules: pusherProblems,
  topics: (config) => [commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)],
  start: (context, connections, config) => compose(context, connections, config),
});
process.exit(code);
