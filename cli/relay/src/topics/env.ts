import { actionsEnv } from '@ranger-relay/actions';
import { type BusNames, commandsTopic, type BusUser, type TopicSpec } from '@ranger-relay/contracts';
import { commonEnv, kafkaEnv, parseEnv, type Env } from '@ranger-relay/runtime';
import { topicsOf } from '@ranger-relay/service';
import type { Shell } from '@ranger-relay/terminal';
import { typeSlugEnv } from '../actions/env.ts';

/** Variables of the commands about topics. */
export const topicsEnv = {
  ...kafkaEnv,
  INTEGRATION_EVENTS_TOPIC: commonEnv.INTEGRATION_EVENTS_TOPIC,
  ...typeSlugEnv,
  INTEGRATION_COMMANDS_TOPIC: actionsEnv.INTEGRATION_COMMANDS_TOPIC,
} as const;

/** Topics that commands of the services with actions travel on. */
export const commandTopics = ({
  PUSHER_TYPE_SLUG,
  RUNNER_TYPE_SLUG,
  INTEGRATION_COMMANDS_TOPIC: name,
}: Env<typeof typeSlugEnv> & { readonly INTEGRATION_COMMANDS_TOPIC?: string | undefined }): readonly TopicSpec[] => {
  const served: readonly (readonly [slug: string, user: BusUser])[] = [
    [PUSHER_TYPE_SLUG, 'message-pusher'],
    [RUNNER_TYPE_SLUG, 'action-runner'],
  ];
  const specs = [...Map.groupBy(served, ([slug]) => slug)].map(([slug, its]) =>
    commandsTopic(
      slug,
      its.map(([, user]) => user),
    ),
  );
  return name === undefined ? specs : [...specs, { ...commandsTopic(RUNNER_TYPE_SLUG), name }];
};

/** The topics of the installation that the variables describe. */
export const namesOf = (env: Env<typeof topicsEnv>): BusNames => ({
  topics: topicsOf(env, commandTopics(env)),
  prefix: env.KAFKA_PREFIX ?? '',
});

/** The same, from the environment of a command. @throws RelayError `config_invalid` */
export const namesHere = (shell: Shell): BusNames => namesOf(parseEnv(topicsEnv, shell.env));
