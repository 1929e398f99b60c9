import { actionsEnv } from '@ranger-relay/actions';
import type { BusNames } from '@ranger-relay/contracts';
import { commonEnv, kafkaEnv, parseEnv, type Env } from '@ranger-relay/runtime';
import { topicsOf } from '@ranger-relay/service';
import type { Shell } from '@ranger-relay/terminal';
import { typeSlugEnv } from '../actions/env.ts';
import { commandTopics } from './command-topics.ts';

/** Variables of the commands about topics. */
export const topicsEnv = {
  ...kafkaEnv,
  INTEGRATION_EVENTS_TOPIC: commonEnv.INTEGRATION_EVENTS_TOPIC,
  ...typeSlugEnv,
  INTEGRATION_COMMANDS_TOPIC: actionsEnv.INTEGRATION_COMMANDS_TOPIC,
} as const;

/** The topics of the installation that the variables describe. */
export const namesOf = (env: Env<typeof topicsEnv>): BusNames => ({
  topics: topicsOf(env, commandTopics(env)),
  prefix: env.KAFKA_PREFIX ?? '',
});

/** The same, from the environment of a command. @throws RelayError `config_invalid` */
export const namesHere = (shell: Shell): BusNames => namesOf(parseEnv(topicsEnv, shell.env));
