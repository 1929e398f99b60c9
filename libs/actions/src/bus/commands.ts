import type { BusRecord, ConsumeOptions, DeadLetterDraft, Outcome } from '@ranger-relay/bus';
import { integrationOfKey, runActionCommandSchema, type RunActionCommand } from '@ranger-relay/contracts';
import { delayFor, type Backoff, type Context } from '@ranger-relay/runtime';
import { repeatAfter } from '../execute/repeat.ts';
import type { ExecuteOutcome } from '../execute/request.ts';
import type { ActionRuntime } from '../execute/runtime.ts';
import { requestOf } from '../http/doors/command.ts';
import { createLateTicks } from './late-ticks.ts';

/** How commands are consumed. */
export interface CommandOptions {
  readonly runtime: ActionRuntime;
  readonly context: Pick<Context, 'clock' | 'random' | 'log'>;
  readonly topic: string;
  readonly group: string;
  /** A command that fails for longer than this is given up, ms; default 24 h. */
  readonly maxAgeMs?: number;
}

const dayMs = 86_400_000;
const backoff: Backoff = { baseMs: 10_000, maxMs: 600_000, jitterMs: 5_000 };

const done: Outcome = { kind: 'done' };

const dead = (record: BusRecord, reason: string, detail: string): Outcome => {
  const letter: DeadLetterDraft = {
    kind: 'command',
    integrationId: integrationOfKey(record.key) || null,
    reason,
    detail,
  };
  return { kind: 'dead', letter };
};

const commandOf = ({ value }: BusRecord): RunActionCommand | undefined => {
  try {
    return runActionCommandSchema.parse(JSON.parse(new TextDecoder().decode(value)));
  } catch {
    return undefined;
  }
};

/**
 * Runs commands from their topic (platform contract, runner): what can be helped by a repeat waits with growing delays, everything else is
 * committed. One command at a time per action of an integration, each of them a lane that waits alone; handlers may take long.
 */
export const commandConsumer = ({
  runtime,
  context,
  topic,
  group,
  maxAgeMs = dayMs,
}: CommandOptions): ConsumeOptions => {
  const { clock, random, log } = context;
  const ticks = createLateTicks();

  const ended = (record: BusRecord, attempt: number, outcome: ExecuteOutcome): Outcome => {
    const wait = repeatAfter(outcome);
    if (wait === undefined)
      return outcome.kind === 'refused' && outcome.error.next !== 'skip'
        ? dead(record, outcome.error.code, outcome.report.error)
        : done;
    if (clock.now() - record.timestamp < maxAgeMs)
      return { kind: 'retry', afterMs: Math.max(wait, delayFor(backoff, attempt, random)) };
    return dead(record, 'command_expired', 'It has failed for too long to be tried again');
  };

  const runOne = async (record: BusRecord, attempt: number): Promise<Outcome> => {
    const command = commandOf(record);
    if (!command) {
      log.warn({ topic, offset: String(record.offset) }, 'a command could not be read');
      return dead(record, 'record_unreadable', 'It is not a command to run an action');
    }
    if (attempt === 0 && ticks.isCovered(command)) {
      log.info(
        { key: record.key, scheduled_at: command.scheduled_at },
        'a tick was passed over: a later run did its work',
      );
      return done;
    }
    const begun = clock.now();
    const id = command.event_id || `${topic}.${record.partition}.${record.offset}`;
    const outcome = await runtime.execute(requestOf(command, { message: { from: topic, id }, attempt: attempt + 1 }));
    const end = ended(record, attempt, outcome);
    if (end.kind !== 'retry') ticks.began(command, begun);
    return end;
  };

  return {
    topic,
    group,
    lane: ({ key }) => key,
    maxBatch: 1,
    deadLetterKind: 'command',
    async handle({ records, attempt }) {
      const outcomes: Outcome[] = [];
      for (const [index, record] of records.entries()) outcomes.push(await runOne(record, index === 0 ? attempt : 0));
      return outcomes;
    },
  };
};
