import { commandsTopicSpec } from '@ranger-relay/actions';
import { runService } from '@ranger-relay/service';
import { compose, runnerEnv, runnerProblems } from './index.ts';

const code = await runService(process, {
  name: 'action-runner',
  env: runnerEnv,
  rules: runnerProblems,
  topics: (config) => [commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)],
  start: compose,
});
process.exit(code);
