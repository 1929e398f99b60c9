import { kafkaSettings, openTopicAdmin, type TopicAdmin } from '@ranger-relay/bus/kafka';
import { type BusNames, type BusRight, busRightsOf, busUsers, toolRights, toolUser } from '@ranger-relay/contracts';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { type Backoff, createLogger, delayFor, parseEnv, pause } from '@ranger-relay/runtime';
import { humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import { namesOf, topicsEnv } from './env.ts';

/** A user of the brokers and what it must be allowed to do. */
export interface UserRights {
  readonly user: string;
  readonly rights: readonly BusRight[];
}

/** Every user of an installation with the least that it needs. */
export const rightsOfAll = (names: BusNames): readonly UserRights[] => [
  ...busUsers.map((user) => ({ user, rights: busRightsOf(user, names) })),
  { user: toolUser, rights: toolRights(names) },
];

const backoff: Backoff = { baseMs: 500, maxMs: 5_000, jitterMs: 250 };

const notYet = (waitMs: number): RelayError =>
  new RelayError('deadline_exceeded', { details: { what: 'Changing the topics', ms: waitMs } });

/**
 * Does `work` again and again while the brokers are away or refuse it, or records wait that it must not touch, or it answers null, for `waitMs` at most; each new reason is told once.
 * @throws RelayError what the last try threw, `deadline_exceeded` after a null, or `interrupted`
 */
export const patiently = async <T>(shell: Shell, waitMs: number, work: () => Promise<T | null>): Promise<T> => {
  const { clock, random } = shell;
  const end = clock.monotonic() + waitMs;
  const left = (): number => end - clock.monotonic();
  const signal = waitMs > 0 ? shell.interrupted() : undefined;
  const told = new Set<string>();

  const note = (error: unknown): void => {
    if (!isRelayError(error, 'bus_unavailable', 'partitions_in_use') || left() <= 0) throw error;
    if (!told.has(error.message))
      shell.err(printable(`${error.message}; waiting up to ${humanSpan(Math.ceil(left() / 1_000))}`));
    told.add(error.message);
  };

  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await work();
      if (result !== null) return result;
    } catch (error) {
      note(error);
    }
    if (left() <= 0) throw notYet(waitMs);
    await pause(clock, Math.min(left(), delayFor(backoff, attempt, random)), signal);
    if (signal?.aborted) throw new RelayError('interrupted', { details: { state: 'some topics may be missing' } });
  }
};

/** Opens the topic admin of the installation's topics. @throws RelayError `config_invalid` */
export type OpenTopicAdmin = () => TopicAdmin;

/** The topic admin that the environment describes. */
export const topicAdminOf = (shell: Shell): TopicAdmin => {
  const env = parseEnv(topicsEnv, shell.env);
  const log = createLogger({ service: 'ranger-relay', level: 'silent', write: (line) => shell.err(line.trimEnd()) });
  return openTopicAdmin(kafkaSettings(env, 'ranger-relay'), namesOf(env).topics, { log, clock: shell.clock });
};
