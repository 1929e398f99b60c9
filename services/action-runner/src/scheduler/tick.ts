import type { Schedule } from '@ranger-relay/actions';
import type { Bus } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import type { Context } from '@ranger-relay/runtime';
import { scheduledCommand } from './commands.ts';
import { dueActions, type DueAction } from './due.ts';
import { jitterOf } from './jitter.ts';
import { moveMark, readMark } from './mark.ts';
import type { Roster } from './roster.ts';

/** What a tick works with. */
export interface TickParts {
  /** Integration type whose schedules these are. */
  readonly slug: string;
  readonly schedules: readonly Schedule[];
  readonly roster: Roster;
  readonly bus: Pick<Bus, 'publish'>;
  readonly topic: string;
  readonly state: KvSpace;
  readonly context: Pick<Context, 'clock' | 'metrics'>;
  /** How far back a missed instant is made up for, ms. */
  readonly catchupMs: number;
  /** Over how long the commands of one instant are spread, ms; less than a minute. */
  readonly jitterMs: number;
}

/** What ends a tick early. */
export interface TickRun {
  /** Whether this process is the leader still. */
  mayGoOn(): boolean;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

/** Commands of one call of the bus; the next call waits for it, so that no number of integrations floods the bus. */
const batchSize = 500;

interface Planned {
  readonly integrationId: string;
  readonly due: DueAction;
}

/** Commands that are published together, by how long after the beginning of the tick, ms. */
interface Batch {
  readonly afterMs: number;
  readonly planned: readonly Planned[];
}

const batchesOf = (planned: readonly Planned[], jitterMs: number): readonly Batch[] => {
  const moments = [...Map.groupBy(planned, ({ integrationId }) => jitterOf(integrationId, jitterMs))];
  return moments
    .sort(([a], [b]) => a - b)
    .flatMap(([afterMs, of]) =>
      Array.from({ length: Math.ceil(of.length / batchSize) }, (_, index) => ({
        afterMs,
        planned: of.slice(index * batchSize, (index + 1) * batchSize),
      })),
    );
};

const publishAll = async (parts: TickParts, due: readonly DueAction[], run: TickRun): Promise<boolean> => {
  const { roster, bus, topic, context, jitterMs } = parts;
  const { clock } = context;
  const began = clock.monotonic();
  const ids = await roster.ids();
  const all = due.flatMap((each) => ids.map((integrationId) => ({ integrationId, due: each })));
  for (const { afterMs, planned: batch } of batchesOf(all, jitterMs)) {
    const wait = began + afterMs - clock.monotonic();
    if (wait > 0) await clock.sleep(wait, run.signal).catch(() => undefined);
    if (!run.mayGoOn()) return false;
    const now = context.clock.now();
    await bus.publish(
      topic,
      batch.map((each) => scheduledCommand(each.integrationId, each.due, now)),
    );
    for (const each of batch) context.metrics.count('relay_scheduler_commands_total', { action: each.due.actionId });
  }
  return true;
};

/**
 * Publishes the commands of every instant that is due, then moves the mark. What it could not finish is due again at the next tick, under the
 * same event ids.
 * @throws RelayError of the store, the platform or the bus
 */
export const tick = async (parts: TickParts, run: TickRun): Promise<void> => {
  const { slug, schedules, state, context, catchupMs } = parts;
  const mark = await readMark(state, slug);
  const now = context.clock.now();
  const due = dueActions(schedules, mark.at, now, catchupMs);
  if (due.length > 0 && !(await publishAll(parts, due, run))) return;
  if (run.mayGoOn()) await moveMark(state, slug, mark, now);
};
