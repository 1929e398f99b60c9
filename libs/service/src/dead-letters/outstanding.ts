import type { Bus } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';
import { BoundedMap, type Clock, type Context, repeat } from '@ranger-relay/runtime';
import { lettersSince, outstandingLetters, sosOf, type StoredLetter } from './stored.ts';

/** Labels of the counts. */
interface Group {
  readonly kind: string;
  readonly reason: string;
  /** `true` for letters with an SOS. */
  readonly sos: string;
}

/** Number of letters of one group that no operator has replayed or dropped. */
interface OutstandingLetters {
  readonly group: Group;
  readonly letters: number;
}

interface OutstandingDependencies {
  readonly bus: Pick<Bus, 'read'>;
  readonly state: KvSpace;
  readonly clock: Pick<Clock, 'now'>;
}

/** Maximum number of ids in memory; of more letters, the oldest are not counted. */
const maxLetters = 100_000;
/** Interval between two counts, ms; the first one waits, so that it does not slow down the start. */
const countEveryMs = 60_000;

const groupOf = (letter: StoredLetter): Group => ({
  kind: letter.kind,
  reason: letter.reason,
  sos: String(sosOf(letter) !== null),
});

/**
 * Creates a count that reads only the letters since the last one; it keeps ids, no bodies.
 * @returns counts by group, 0 for a group without letters
 */
export const createOutstandingCount = ({ bus, state, clock }: OutstandingDependencies, limit = maxLetters) => {
  const offsets = new Map<number, bigint>();
  const groups = new Map<string, Group>();
  const known = new BoundedMap<{ readonly group: string; readonly storedAt: number; readonly attempts: number }>(limit);

  const readOn = async (): Promise<void> => {
    for await (const { record, letter } of lettersSince(bus, offsets)) {
      if (!letter) continue;
      const group = groupOf(letter);
      const key = JSON.stringify(group);
      groups.set(key, group);
      known.set(letter.id, { group: key, storedAt: record.timestamp, attempts: letter.attempts });
    }
  };

  return async (): Promise<readonly OutstandingLetters[]> => {
    await readOn();
    const isOutstanding = await outstandingLetters(state);
    const keptSince = clock.now() - topics.deadLetters.retentionMs;
    const counts = new Map([...groups.keys()].map((key) => [key, 0]));
    for (const [id, { group, storedAt, attempts }] of known) {
      if (storedAt < keptSince) known.delete(id);
      else if (isOutstanding({ id, attempts })) counts.set(group, (counts.get(group) ?? 0) + 1);
    }
    return [...groups].map(([key, group]) => ({ group, letters: counts.get(key) ?? 0 }));
  };
};

/** Sets the metric of outstanding dead letters each minute, until the context stops. */
export const watchOutstandingLetters = (
  { clock, log, metrics, lifecycle }: Pick<Context, 'clock' | 'log' | 'metrics' | 'lifecycle'>,
  stores: Pick<OutstandingDependencies, 'bus' | 'state'>,
): void => {
  const count = createOutstandingCount({ ...stores, clock });
  const show = async (): Promise<void> => {
    try {
      const found = await count();
      for (const { group, letters } of found) metrics.set('relay_outstanding_dead_letters', letters, { ...group });
    } catch (error) {
      log.warn({ err: error }, 'counting the waiting dead letters failed');
    }
  };
  const stop = repeat({ clock, everyMs: countEveryMs }, show);
  lifecycle.onStop('dead letters', () => void stop());
};
