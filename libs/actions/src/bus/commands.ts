import type { BusRecord, ConsumeOptions, DeadLetterDraft, Outcome } from '@ranger-relay/bus';
import { integrationOfKey, type RunActionCommand } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { storeKey } from '@ranger-relay/kv';
import { type Backoff, BoundedMap, type Context, createRateLimitedLog, delayFor } from '@ranger-relay/runtime';
import { repeatAfter } from '../execute/not-run.ts';
import type { ExecuteOutcome } from '../execute/request.ts';
import type { ActionRuntime } from '../execute/runtime.ts';
import { requestOf } from '../http/handlers/command.ts';
import { isReplay } from '../replay.ts';
import { type BelievedTime, isOlder } from '../time/believed-time.ts';
import { readCommand } from './read-command.ts';

/** Maximum number of remembered runs; the oldest is dropped first. */
const maxTicks = 10_000;

/** Due time of a plain tick; NaN for a back-fill, a replay or a manual request, which must always run. */
const dueOf = (command: RunActionCommand): number => {
  const { triggered_by, scheduled_at, config_overrides, payload } = command;
  const isTick = triggered_by === 'auto' && !config_overrides && payload?.self_triggered !== true && !isReplay(command);
  return isTick ? Date.parse(scheduled_at ?? '') : Number.NaN;
};

/** The identity of the run. It comes from the command, because the producer chooses the key of the record. */
const keyOf = ({ integration_id, action_id }: RunActionCommand): string => storeKey(integration_id, action_id);

/**
 * Merges ticks that waited behind a long run into one run (platform contract, schedules): a tick is covered when a run of the same action
 * started after it was due.
 */
const createLateTicks = () => {
  const begun = new BoundedMap<number>(maxTicks);
  return {
    /**
     * Records a successful run of the command that started at `began`, a believed time: by a clock that is ahead, a run would cover ticks
     * that are not due yet. A run with overrides is ignored, because a tick runs without overrides.
     */
    completed(command: RunActionCommand, began: number | null): void {
      if (began !== null && !command.config_overrides) begun.set(keyOf(command), began);
    },
    isCovered: (command: RunActionCommand): boolean =>
      dueOf(command) <= (begun.get(keyOf(command)) ?? Number.NEGATIVE_INFINITY),
  };
};

/** The configuration of the command consumer. */
export interface CommandOptions {
  readonly runtime: ActionRuntime;
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;
  readonly topic: string;
  readonly group: string;
  /** The time by which a command expires. */
  readonly time: BelievedTime;
  /** Maximum age of a failing command before it is dead-lettered, ms; default 24 h. */
  readonly maxAgeMs?: number;
}

const dayMs = 86_400_000;
const backoff: Backoff = { baseMs: 10_000, maxMs: 600_000, jitterMs: 5_000 };

const done: Outcome = { kind: 'done' };

const dead = (record: BusRecord, command: RunActionCommand | undefined, reason: string, detail: string): Outcome => {
  const letter: DeadLetterDraft = {
    kind: 'command',
    integrationId: command?.integration_id ?? (integrationOfKey(record.key) || null),
    reason,
    detail,
  };
  return { kind: 'dead', letter };
};

/** The reason for the dead letter of a run that a retry cannot help; undefined when the run leaves none. */
const deadReason = (command: RunActionCommand, outcome: ExecuteOutcome): readonly [string, string] | undefined => {
  if (outcome.kind === 'refused' && (outcome.error.next !== 'skip' || isReplay(command)))
    return [outcome.error.code, outcome.report.error];
  // A replay was requested by an operator, who would otherwise not learn that it failed.
  if (!isReplay(command)) return undefined;
  if (outcome.kind === 'failed') return ['action_failed', outcome.report.error];
  return outcome.kind === 'skipped' ? [outcome.reason, 'The run was skipped'] : undefined;
};

/**
 * Consumes commands from their topic (platform contract, runner): failures that a retry can help are retried with growing delays, all
 * others are committed. Each action of an integration is a lane of its own and runs one command at a time; handlers may take long.
 */
export const commandConsumer = ({
  runtime,
  context,
  topic,
  group,
  time,
  maxAgeMs = dayMs,
}: CommandOptions): ConsumeOptions => {
  const { random, log, metrics } = context;
  const ticks = createLateTicks();
  const limitedLog = createRateLimitedLog(context);

  const again = (record: BusRecord, command: RunActionCommand | undefined, attempt: number, waitMs: number): Outcome =>
    isOlder(record.timestamp, maxAgeMs, time)
      ? dead(record, command, 'command_expired', 'It has failed for too long to be retried')
      : { kind: 'retry', afterMs: Math.max(waitMs, delayFor(backoff, attempt, random)) };

  const ended = (record: BusRecord, command: RunActionCommand, attempt: number, outcome: ExecuteOutcome): Outcome => {
    const wait = repeatAfter(outcome);
    if (wait !== undefined) return again(record, command, attempt, wait);
    const reason = deadReason(command, outcome);
    return reason ? dead(record, command, ...reason) : done;
  };

  const runOne = async (record: BusRecord, attempt: number): Promise<Outcome> => {
    const read = readCommand(record.value);
    if (read.kind === 'newer') {
      const error = new RelayError('record_newer', { details: { topic, version: read.version } });
      const fields = { offset: String(record.offset), err: error };
      limitedLog.error('newer', fields, 'a command waits for a newer version');
      return again(record, undefined, attempt, 0);
    }
    if (read.kind === 'unreadable') {
      limitedLog.warn('unreadable', { topic, offset: String(record.offset) }, 'a command could not be read');
      return dead(record, undefined, 'record_unreadable', 'It is not a command to run an action');
    }
    const { command, hasUnknownTrigger } = read;
    if (hasUnknownTrigger && attempt === 0) metrics.count('relay_unknown_triggers_total');
    if (attempt === 0 && ticks.isCovered(command)) {
      log.info({ key: record.key, scheduled_at: command.scheduled_at }, 'a tick was skipped: a later run did its work');
      return done;
    }
    const began = time();
    const id = command.event_id || `${topic}.${record.partition}.${record.offset}`;
    const outcome = await runtime.execute(requestOf(command, { message: { from: topic, id }, attempt: attempt + 1 }));
    if (outcome.kind === 'complete') ticks.completed(command, began);
    return ended(record, command, attempt, outcome);
  };

  return {
    topic,
    group,
    lane: 'key',
    maxBatch: 1,
    deadLetterKind: 'command',
    async handle({ records, attempt }) {
      const outcomes: Outcome[] = [];
      for (const [index, record] of records.entries()) outcomes.push(await runOne(record, index === 0 ? attempt : 0));
      return outcomes;
    },
  };
};
