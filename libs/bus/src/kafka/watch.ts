import { type Clock, type Logger, repeat } from '@ranger-relay/runtime';
import { isUnknownTopic, problemOf } from './client/problems.ts';
import type { Cluster } from './client/cluster.ts';

/** Checks regularly whether the brokers answer and have the topics. */
export interface Watch {
  /** Whether the brokers answered lately and have every topic. */
  ready(): boolean;
  /** The problem, as a text for operators; null when there is none. */
  problem(): string | null;
  stop(): void;
}

const everyMs = 2_000;
/** Interval while there is a problem, ms: the bus is ready soon after it is solved. */
const soonMs = 500;

/** Topics that the brokers do not have. */
export const missingTopics = async (cluster: Cluster, topics: readonly string[]): Promise<string[]> => {
  await cluster.connect();
  try {
    await cluster.addMultipleTargetTopics([...topics]);
    await cluster.refreshMetadata();
    return [];
  } catch (error) {
    if (!isUnknownTopic(error)) throw error;
  }
  (cluster as unknown as { targetTopics: Set<string> }).targetTopics.clear();
  const missing: string[] = [];
  for (const topic of topics)
    await cluster.addTargetTopic(topic).catch((error: unknown) => {
      if (!isUnknownTopic(error)) throw error;
      missing.push(topic);
    });
  // When all topics are missing, the client does not know the brokers yet.
  await cluster.refreshMetadata();
  return missing;
};

type State = 'unknown' | 'well' | 'missing' | 'away';

/** Starts the checks on a separate client, so that their requests do not queue behind others. */
export const startWatch = (cluster: Cluster, topics: readonly string[], clock: Clock, log: Logger): Watch => {
  let problem: string | null = 'the brokers have not answered yet';
  let state: State = 'unknown';
  let stopped = false;

  const report = (now: string | null, kind: State): void => {
    if (stopped) return;
    // The text of an outage changes with the broker that was tried last; log one line for all of them.
    if (kind !== state || (kind === 'missing' && now !== problem)) {
      if (now === null) log.info({ topics: topics.length }, 'the brokers are there and have the topics');
      else log.error({ problem: now }, 'the bus is unusable');
    }
    state = kind;
    problem = now;
  };

  const check = async (): Promise<void> => {
    try {
      const missing = await missingTopics(cluster, topics);
      if (missing.length === 0) report(null, 'well');
      else
        report(
          `topics are missing: ${missing.join(', ')}; create them, for example with \`ranger-relay topics create\``,
          'missing',
        );
    } catch (error) {
      report(problemOf(error).message, 'away');
    }
  };
  const stopChecking = repeat({ clock, everyMs: () => (problem === null ? everyMs : soonMs), firstMs: 0 }, check);

  return {
    ready: () => problem === null && !stopped,
    problem: () => problem,
    stop() {
      stopped = true;
      void stopChecking();
    },
  };
};
