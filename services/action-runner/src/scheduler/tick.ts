import type { Schedule } from '@ranger-relay/actions';
import type { Bus } from '@ranger-relay/bus';
import type { KvSpace } from '@ranger-relay/kv';
import type { Context } from '@ranger-relay/runtime';
import { scheduledCommand } from './commands.ts';
import { dueActions, type DueAction } from './due.ts';
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
}

/** Commands of one call of the bus; the next call waits for it, so that no number of integrations floods the bus. */
const batchSize = 500;

interface Planned {
  readonly integrationId: string;
  readonly due: DueAction;
}

const batchesOf = (planned: readonly Planned[]): readonly (readonly Planned[])[] =>
  Array.from({ length: Math.ceil(planned.length / batchSize) }, (_, index) =>
    planned.slice(index * batchSize, (index + 1) * batchSize),
  );

const publishAll = async (parts: TickParts, due: readonly DueAction[], mayGoOn: () => boolean): Promise<boolean> => {
  const { roster, bus, topic, context } = parts;
  const ids = await roster.ids();
  const planned = due.flatMap((each) => ids.map((integrationId) => ({ integrationId, due: each })));
  for (const batch of batchesOf(planned)) {
    if (!mayGoOn()) return false;
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
 * @param mayGoOn whether this process is the leader still
 * @throws RelayError of the store, the platform or the bus
 */
export const tick = async (parts: TickParts, mayGoOn: () => boolean): Promise<void> => {
  const { slug, schedules, state, context } = parts;
  const mark = await readMark(state, slug);
  const now = context.clock.now();
  const due = dueActions(schedules, mark.at, now);
  if (due.length > 0 && !(await publishAll(parts, due, mayGoOn))) return;
  if (mayGoOn()) await moveMark(state, slug, mark, now);
};
