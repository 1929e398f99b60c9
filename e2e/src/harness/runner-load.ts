import type { RunnerHarness } from './runner.ts';
import type { RunLine } from './runner-process/actions.ts';

/** Commands that keep coming, numbered from 1. */
export interface CommandLoad {
  sent(): number;
  /** Those that were sent again because an answer was lost, which makes two commands of one. */
  sentAgain(): ReadonlySet<number>;
  /** Runs of them that have ended, in order. */
  ended(): readonly RunLine[];
  /** Those that ended more than once although one command was sent. */
  repeated(): readonly number[];
  /** Whether each has ended at least once. */
  allRan(): boolean;
  /** Sends no more. */
  stop(): Promise<void>;
}

const workers = 4;
const pauseMs = 10;

/** Publishes commands for the integrations, sequentially from each of a few callers, until stopped. */
export const startCommands = ({ command, lines }: RunnerHarness, integrations: readonly string[]): CommandLoad => {
  let sent = 0;
  const again = new Set<number>();
  const stopping = new AbortController();
  const work = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      const n = (sent += 1);
      const lost = await command(integrations[n % integrations.length] ?? '', 'work', { n, ms: 20 });
      if (lost > 0) again.add(n);
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  const working = Promise.all(Array.from({ length: workers }, work));
  const ended = (): readonly RunLine[] => lines().filter(({ n, phase }) => n >= 1 && n <= sent && phase === 'ended');
  const repeated = (): number[] => {
    const seen = new Set<number>();
    const twice = ended().filter(({ n }) => seen.has(n) || !seen.add(n));
    return [...new Set(twice.map(({ n }) => n))].filter((n) => !again.has(n));
  };
  return {
    repeated,
    sent: () => sent,
    sentAgain: () => again,
    ended,
    allRan: () => new Set(ended().map(({ n }) => n)).size === sent,
    async stop() {
      stopping.abort();
      await working;
    },
  };
};
