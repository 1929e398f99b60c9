import type { ActivityEntry } from '../activity/entry.ts';
import type { LastRun } from './model.ts';

/** Remembers the last run of each action of each integration, as the activity log tells of its end. */
export interface RunBook {
  note(entry: ActivityEntry): void;
  /** By integration, then action. */
  runs(): readonly LastRun[];
}

const outcomes: ReadonlyMap<string, LastRun['outcome']> = new Map([
  ['IntegrationActionComplete', 'complete'],
  ['IntegrationActionFailed', 'failed'],
]);

/** Most actions that are remembered; more than that is no installation of one machine. */
const mostRuns = 10_000;

/** Makes an empty book. */
export const createRunBook = (): RunBook => {
  const last = new Map<string, LastRun>();
  return {
    note({ event_type: type, payload, timestamp }) {
      const outcome = outcomes.get(type);
      const { integration_id: integration, action_id: action } = payload;
      if (outcome === undefined || typeof action !== 'string') return;
      const key = `${integration}:${action}`;
      if (!last.has(key) && last.size >= mostRuns) return;
      last.set(key, { integration_id: integration, action_id: action, ended_at: timestamp, outcome });
    },
    runs: () => [...last].sort(([a], [b]) => (a < b ? -1 : Number(a > b))).map(([, run]) => run),
  };
};
