import { kafkaSettings, openTopicKeeper, type TopicKeeper } from '@ranger-relay/bus/kafka';
import { createLogger, parseEnv } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';
import { namesOf, topicsEnv } from './env.ts';

/** Opens the keeper of the installation's topics. @throws RelayError `config_invalid` */
export type OpenKeeper = () => TopicKeeper;

/** The keeper that the environment describes. */
export const keeperOf = (shell: Shell): TopicKeeper => {
  const env = parseEnv(topicsEnv, shell.env);
  const log = createLogger({ service: 'ranger-relay', level: 'silent', write: (line) => shell.err(line.trimEnd()) });
  return openTopicKeeper(kafkaSettings(env, 'ranger-relay'), namesOf(env).topics, { log, clock: shell.clock });
};

/** Runs `work` with a keeper and closes it whatever happens. */
export const withKeeper = async (open: OpenKeeper, work: (keeper: TopicKeeper) => Promise<void>): Promise<void> => {
  const keeper = open();
  try {
    await work(keeper);
  } finally {
    await keeper.close();
  }
};
