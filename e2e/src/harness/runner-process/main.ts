import { compose, runnerEnv } from '@ranger-relay/action-runner';
import { commandsTopicSpec, discoverActions } from '@ranger-relay/actions';
import { kinds } from '@ranger-relay/runtime';
import { runService } from '@ranger-relay/service';
import { createActions } from './actions.ts';

// An action runner as it is, but with actions of the scenario.
const env = {
  ...runnerEnv,
  RUN_FILE: { kind: kinds.path(), required: true, description: 'Where runs leave their lines' },
} as const;

const code = await runService(process, {
  name: 'action-runner',
  env,
  topics: (config) => [commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)],
  start(context, connections, config) {
    const type = { catalogue: discoverActions(createActions(config.RUN_FILE, process.pid)) };
    return compose(context, connections, config, 'PORT', { type });
  },
});
process.exit(code);
