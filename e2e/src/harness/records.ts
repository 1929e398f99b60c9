import type { Bus } from '@ranger-relay/bus';
import { kafkaSettings, openKafkaBus } from '@ranger-relay/bus/kafka';
import { commandsTopic, topics } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import {
  createLogger,
  createMetrics,
  kafkaEnv,
  metricList,
  parseEnv,
  systemClock,
  systemRandom,
} from '@ranger-relay/runtime';
import { activityProblems, commandProblems } from '@ranger-relay/simulators';

/** Opens the bus of services with these variables. @param slug type whose commands topic exists */
export const openBus = (env: Readonly<Record<string, string>>, slug?: string): Bus =>
  openKafkaBus({
    settings: kafkaSettings(parseEnv(kafkaEnv, env), 'e2e'),
    topics: [...Object.values(topics), ...(slug === undefined ? [] : [commandsTopic(slug)])],
    clock: systemClock,
    random: systemRandom,
    log: createLogger({ service: 'e2e', level: 'silent' }),
    metrics: createMetrics(metricList),
  });

/** All values of a topic. */
export const valuesOf = async <T>(bus: Bus, topic: string): Promise<T[]> => {
  const values: T[] = [];
  for await (const { value } of bus.read({ topic })) values.push(JSON.parse(Buffer.from(value).toString()) as T);
  return values;
};

const check = (problems: readonly string[]): void => {
  if (problems.length > 0) throw new Error(`records that the platform drops: ${[...new Set(problems)].join('; ')}`);
};

/** Fails when the platform would drop a command that services have published. @param slug as of `openBus` */
export const checkCommands = async (bus: Bus, slug: string): Promise<void> =>
  check((await valuesOf(bus, commandsTopic(slug).name)).flatMap(commandProblems));

/** Fails when the platform would drop an activity entry that services have published. Brokers that a scenario has ended tell nothing. */
export const checkEntries = async (env: Readonly<Record<string, string>>): Promise<void> => {
  const bus = openBus(env);
  const entries = await valuesOf(bus, topics.integrationEvents.name)
    .catch((error: unknown) => {
      if (isRelayError(error)) return [];
      throw error;
    })
    .finally(() => bus.close());
  check(entries.flatMap(activityProblems));
};
