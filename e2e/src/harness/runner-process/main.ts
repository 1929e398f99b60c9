import { compose, runnerEnv } from '@ranger-relay/action-runner';
import { commandsTopicSpec, discoverActions } from '@ranger-relay/actions';
import { kinds, type Clock } from '@ranger-relay/runtime';
import { runService } from '@ranger-relay/service';
import { createActions } from './actions.ts';

// An action runner as it is, but with actions of the scenario and a wall clock that runs faster from a given moment on.
const env = {
  ...runnerEnv,
  RUN_FILE: { kind: kinds.path(), required: true, description: 'Where runs leave their lines' },
  RUN_SCHEDULE: { kind: kinds.text(100), default: '* * * * *', description: 'Schedule of the action tick' },
  CLOCK_FROM: { kind: kinds.integer(0, 10 ** 14), default: '0', description: 'From when on the clock runs faster, ms' },
  CLOCK_SPEED: { kind: kinds.integer(1, 100), default: '1', description: 'How much faster' },
} as const;

const faster = (clock: Clock, from: number, speed: number): Clock => ({
  ...clock,
  now: () => from + (clock.now() - from) * speed,
});

const code = await runService(process, {
  name: 'action-runner',
  env,
  topics: (config) => [commandsTopicSpec(config, config.INTEGRATION_TYPE_SLUG)],
  start(context, connections, config) {
    const { RUN_FILE: file, RUN_SCHEDULE: schedule, CLOCK_FROM: from, CLOCK_SPEED: speed } = config;
    const clock = faster(context.clock, from, speed);
    const type = { catalogue: discoverActions(createActions(file, process.pid, schedule)) };
    const ticker = (onTick: () => void) => {
      const timer = setInterval(onTick, 60_000 / speed);
      return { stop: () => clearInterval(timer) };
    };
    return compose({ ...context, clock }, connections, config, 'PORT', speed > 1 ? { type, ticker } : { type });
  },
});
process.exit(code);
