import type { Bus } from '@ranger-relay/bus';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { runWithin } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';
import type { TimedEntry } from '../activity/format.ts';
import { readPast } from '../activity/follow.ts';

/** A run in the activity log. Times are ISO 8601. */
export interface PastRun {
  readonly started_at: string | null;
  readonly ended_at: string | null;
  /** `open`: the log has no end; the action runs, or its process was killed. */
  readonly outcome: 'complete' | 'failed' | 'open';
  /** Its result or its error; null while it is open. */
  readonly detail: unknown;
}

const iso = (ms: number): string => new Date(ms).toISOString();

const closed = (start: TimedEntry | undefined, { at, entry }: TimedEntry): PastRun => {
  const failed = entry.event_type.endsWith('Failed');
  return {
    started_at: start ? iso(start.at) : null,
    ended_at: iso(at),
    outcome: failed ? 'failed' : 'complete',
    detail: (failed ? entry.payload['error'] : entry.payload['result']) ?? null,
  };
};

const open = ({ at }: TimedEntry): PastRun => ({
  started_at: iso(at),
  ended_at: null,
  outcome: 'open',
  detail: null,
});

/** The runs in the entries of one action, oldest first; an end belongs to the last start before it. */
export const runsOf = (entries: readonly TimedEntry[]): PastRun[] => {
  const runs: PastRun[] = [];
  let start: TimedEntry | undefined;
  for (const entry of entries) {
    const kind = entry.entry.event_type;
    if (kind === 'IntegrationActionStarted') {
      if (start) runs.push(open(start));
      start = entry;
    } else if (kind === 'IntegrationActionComplete' || kind === 'IntegrationActionFailed') {
      runs.push(closed(start, entry));
      start = undefined;
    }
  }
  return start ? [...runs, open(start)] : runs;
};

/** Where to look for runs. */
export interface RunSearch {
  readonly bus: Bus;
  readonly topic: string;
  readonly integrationId: string;
  readonly actionId: string;
}

const maxEntries = 5_000;
const readMs = 10_000;

/**
 * The last runs of an action, newest first, from the newest 5,000 entries of its integration; null when the activity log could not be read
 * to its end within 10 s.
 */
export const lastRuns = async (
  shell: Shell,
  { bus, topic, integrationId, actionId }: RunSearch,
  count: number,
): Promise<readonly PastRun[] | null> => {
  const interrupted = shell.interrupted();
  const limits = { clock: shell.clock, ms: readMs, signal: interrupted, what: 'reading the activity log' };
  try {
    const { entries } = await runWithin(limits, async (signal) => {
      const past = await readPast(bus, topic, { integration: integrationId }, maxEntries, signal);
      signal.throwIfAborted();
      return past;
    });
    return runsOf(entries.filter(({ entry }) => entry.payload.action_id === actionId))
      .toReversed()
      .slice(0, count);
  } catch (error) {
    if (interrupted.aborted) throw new RelayError('interrupted', { details: { state: 'nothing was changed' } });
    if (isRelayError(error, 'deadline_exceeded')) return null;
    throw error;
  }
};
