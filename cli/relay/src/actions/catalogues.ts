import { runnerSchedules, runnerType } from '@ranger-relay/action-runner';
import { discoverActions } from '@ranger-relay/actions';
import { handlers } from '@ranger-relay/message-pusher';
import type { ActionsCliEnv } from './env.ts';
import { trialSchedules } from '../up/settings.ts';
import { namesPlatform } from './platform-api.ts';
import type { Catalogues } from './services.ts';

/** As `up` sets them: on one machine without a platform it is a trial. */
const schedulesSet = (env: ActionsCliEnv): string | undefined =>
  env.ACTION_SCHEDULES ?? (namesPlatform(env) || env.KAFKA_BROKERS ? undefined : trialSchedules);

/** The actions of the services as this version has them. @throws RelayError `crontab_invalid` */
export const cataloguesOf = (env: ActionsCliEnv): Catalogues => {
  const runner = runnerType({ ACTION_SCHEDULES: schedulesSet(env) });
  return {
    pusher: discoverActions(handlers, { models: { push_messages: env.PUSH_MESSAGE_EVENT_TYPE } }),
    runner: runner.catalogue,
    schedules: runnerSchedules(runner),
  };
};
