import type { Bus } from '@ranger-relay/bus';
import { BoundedMap, type Context, createRateLimitedLog } from '@ranger-relay/runtime';
import { type ActivityEntry, readEntry } from '../../activity/format.ts';
import type { LastRun } from '../model.ts';

const outcomes: ReadonlyMap<string, LastRun['outcome']> = new Map([
  ['IntegrationActionComplete', 'complete'],
  ['IntegrationActionFailed', 'failed'],
]);

/** Maximum number of kept actions; an installation on one machine has fewer. */
const maxRuns = 10_000;

/** Makes an empty book of the last run of each action of each integration, by its end in the activity log. */
export const createRunBook = () => {
  const last = new BoundedMap<LastRun>(maxRuns);
  return {
    note({ event_type: type, payload, timestamp }: ActivityEntry): void {
      const outcome = outcomes.get(type);
      const { integration_id: integration, action_id: action } = payload;
      if (outcome === undefined || typeof action !== 'string') return;
      const run = { integration_id: integration, action_id: action, ended_at: timestamp, outcome };
      last.set(`${integration}:${action}`, run);
    },
    /** By integration, then action. */
    runs: (): readonly LastRun[] => [...last].sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, run]) => run),
  };
};

/** The newest entries of the activity log, newest first. */
export type RecentActivity = (limit: number) => readonly ActivityEntry[];

/** Most entries that are kept. */
export const keptEntries = 200;

const againMs = 5_000;

/**
 * Follows the activity log from now on, until the process stops: keeps its newest entries, and the last runs of actions. Retries while the bus
 * is unavailable.
 */
export const followActivity = (
  bus: Bus,
  topic: string,
  { clock, log, lifecycle }: Pick<Context, 'clock' | 'log' | 'lifecycle'>,
) => {
  const stopped = new AbortController();
  let kept: ActivityEntry[] = [];
  const book = createRunBook();
  const limitedLog = createRateLimitedLog({ log, clock });

  const follow = async (): Promise<void> => {
    for await (const record of bus.read({ topic, from: 'latest', follow: true, signal: stopped.signal })) {
      const timed = readEntry(record);
      if (!timed) continue;
      kept = [timed.entry, ...kept].slice(0, keptEntries);
      book.note(timed.entry);
    }
  };

  const followOn = (): void => {
    follow().catch((error: unknown) => {
      if (stopped.signal.aborted) return;
      limitedLog.warn('', { err: error }, 'following the activity log for the status page failed; retrying');
      clock.after(againMs, followOn);
    });
  };

  followOn();
  lifecycle.onStop('activity of the status page', () => stopped.abort());
  const entries: RecentActivity = (limit) => kept.slice(0, limit);
  return { entries, runs: book.runs };
};
