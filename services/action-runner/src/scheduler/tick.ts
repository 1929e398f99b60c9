import { hash } from 'node:crypto';
import type { Schedule } from '@ranger-relay/actions';
import type { Bus, OutgoingRecord } from '@ranger-relay/bus';
import { commandKey, newCommand } from '@ranger-relay/contracts';
import type { KvSpace } from '@ranger-relay/kv';
import { type Context, pause } from '@ranger-relay/runtime';
import { inBatches } from '../mapping/batches.ts';
import { type DueAction, dueActions, isAhead, schedulerKey } from './due.ts';
import type { EnabledIntegrations } from './enabled-integrations.ts';

/** Event id of a scheduled command. It is the same for every publication of one instant, so that repeats are deduplicated. */
export const scheduledEventId = (integrationId: string, { actionId, at }: DueAction): string =>
  hash('sha256', JSON.stringify(['schedule', integrationId, actionId, new Date(at).toISOString()]));

/** The command of one integration for one instant. */
const scheduledCommand = (integrationId: string, due: DueAction, now: number): OutgoingRecord => ({
  key: commandKey(integrationId, due.actionId),
  value: JSON.stringify(
    newCommand({
      eventId: scheduledEventId(integrationId, due),
      at: now,
      integrationId,
      actionId: due.actionId,
      triggeredBy: 'auto',
      scheduledAt: due.at,
    }),
  ),
});

/** Range of the first 32 bits of a hash. */
const range = 2 ** 32;

/** Delay of an integration's commands after the full minute, in whole seconds, ms; always the same for one integration. */
export const jitterOf = (integrationId: string, mostMs: number): number => {
  const share = Number.parseInt(hash('sha256', integrationId).slice(0, 8), 16) / range;
  return Math.floor((share * mostMs) / 1_000) * 1_000;
};

/** Time up to which the schedules were published, as stored. */
interface Mark {
  /** ms since 1970; null when it is missing or unreadable. */
  readonly at: number | null;
  readonly text: string | null;
}

/** @throws RelayError `kv_unavailable` */
const readMark = async (state: KvSpace, slug: string): Promise<Mark> => {
  const text = await state.get(schedulerKey.mark(slug));
  const at = Date.parse(text ?? '');
  return { at: Number.isNaN(at) ? null : at, text };
};

/**
 * Moves the mark forward to `now`, unless another process has moved it since it was read; backwards only when a clock
 * that was ahead has set it.
 * @throws RelayError `kv_unavailable`
 */
const moveMark = async (state: KvSpace, slug: string, { at, text }: Mark, now: number): Promise<void> => {
  if (text !== null && at !== null && at >= now && !isAhead(at, now)) return;
  const next = new Date(now).toISOString();
  if (text === null) await state.setIfAbsent(schedulerKey.mark(slug), next);
  else await state.compareAndSet(schedulerKey.mark(slug), text, next);
};

/** Dependencies of a tick. */
export interface TickDependencies {
  /** Integration type whose schedules these are. */
  readonly slug: string;
  readonly schedules: readonly Schedule[];
  readonly roster: EnabledIntegrations;
  readonly bus: Pick<Bus, 'publish'>;
  readonly topic: string;
  readonly state: KvSpace;
  readonly context: Pick<Context, 'clock' | 'metrics'>;
  /** How far back a missed instant is made up for, ms. */
  readonly catchupMs: number;
  /** Period over which the commands of one instant are spread, ms; less than a minute. */
  readonly jitterMs: number;
}

/** Conditions that end a tick early. */
interface TickRun {
  /** Whether this process is still the leader. */
  mayGoOn(): boolean;
  /** Aborted when the process ends. */
  readonly signal: AbortSignal;
}

/** Commands in one call of the bus; the next call waits for it, so that many integrations do not flood the bus. */
const batchSize = 500;

interface Planned {
  readonly integrationId: string;
  readonly due: DueAction;
}

/** Commands that are published together, with their delay after the start of the tick, ms. */
interface Batch {
  readonly afterMs: number;
  readonly planned: readonly Planned[];
}

const batchesOf = (planned: readonly Planned[], jitterMs: number): readonly Batch[] => {
  const moments = [...Map.groupBy(planned, ({ integrationId }) => jitterOf(integrationId, jitterMs))];
  return moments
    .sort(([a], [b]) => a - b)
    .flatMap(([afterMs, of]) => inBatches(of, batchSize).map((batch) => ({ afterMs, planned: batch })));
};

/** Publishes the commands of every due instant. False when it ended early, or there was nothing to publish. */
const publishAll = async (parts: TickDependencies, due: readonly DueAction[], run: TickRun): Promise<boolean> => {
  const { roster, bus, topic, context, jitterMs } = parts;
  const { clock } = context;
  const began = clock.monotonic();
  const ids = await roster.ids();
  if (ids.length === 0) return false;
  const all = due.flatMap((each) => ids.map((integrationId) => ({ integrationId, due: each })));
  for (const { afterMs, planned: batch } of batchesOf(all, jitterMs)) {
    const wait = began + afterMs - clock.monotonic();
    if (wait > 0) await pause(clock, wait, run.signal);
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
 * Publishes the commands of every due instant, then moves the mark. Commands that it could not publish, also because no integration is
 * known, are due again at the next tick, under the same event ids.
 * @throws RelayError of the store, the platform or the bus
 */
export const tick = async (parts: TickDependencies, run: TickRun): Promise<void> => {
  const { slug, schedules, state, context, catchupMs } = parts;
  const mark = await readMark(state, slug);
  const now = context.clock.now();
  const due = dueActions(schedules, mark.at, now, catchupMs);
  if (due.length > 0 && !(await publishAll(parts, due, run))) return;
  if (run.mayGoOn()) await moveMark(state, slug, mark, now);
};
