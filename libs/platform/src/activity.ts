import { type ActivityEventType, activityLevel } from '@ranger-relay/contracts';
import { cleanJson, cutText, toRelayError } from '@ranger-relay/errors';
import { type Backoff, type Context, delayFor, endsWithin, pause, redact, type Timer } from '@ranger-relay/runtime';
import type { Bus, OutgoingRecord } from '@ranger-relay/bus';

/** Members of an entry besides the integration; the entry's type determines them. */
export type Payload = Readonly<Record<string, unknown>>;

/** An entry before it is serialized. */
export interface EntryDraft {
  readonly eventId: string;
  /** ms since 1970. */
  readonly at: number;
  readonly type: ActivityEventType;
  readonly integrationId: string;
  /** `action_id` or `webhook_id`. */
  readonly subject: { readonly action_id: string } | { readonly webhook_id: string };
  readonly payload: Payload;
}

/** The platform truncates texts of entries to this many characters. */
const textLength = 200;
/** Maximum length of an entry, so that a batch of entries fits into a record. */
const entryLength = 65_536;

const levels = new Set<unknown>(Object.values(activityLevel));

const cut = (value: unknown): unknown => (typeof value === 'string' ? cutText(value, textLength) : value);

const asResult = (value: unknown): unknown =>
  value === null || value === undefined || (typeof value === 'object' && !Array.isArray(value))
    ? (value ?? null)
    : { result: value };

const shaped = (type: ActivityEventType, payload: Payload): Payload => {
  if (type.endsWith('Complete')) return { ...payload, result: asResult(payload['result']) };
  if (type === 'IntegrationWebhookFailed') return { error: cut(payload['error'] ?? '') };
  if (type.endsWith('Failed')) return { ...payload, error: cut(payload['error'] ?? '') };
  if (!type.endsWith('CustomLog')) return payload;
  const { title, level, data } = payload;
  return {
    title: cut(typeof title === 'string' ? title : ''),
    level: levels.has(level) ? level : activityLevel.info,
    data: data ?? {},
  };
};

const write = ({ eventId, at, type, integrationId, subject }: EntryDraft, payload: Payload): string =>
  cleanJson({
    event_id: eventId,
    timestamp: new Date(at).toISOString(),
    schema_version: 'v1',
    event_type: type,
    payload: { integration_id: integrationId, ...subject, ...payload },
  });

/** Serializes an entry in the form that its type requires, without secrets and with bounded length (platform contract, activity-log events). */
export const writeEntry = (draft: EntryDraft): string => {
  const payload = redact(shaped(draft.type, draft.payload));
  const whole = write(draft, payload);
  if (whole.length <= entryLength) return whole;
  const { title, level, error } = payload;
  const tooLong = { too_long: true };
  return write(draft, {
    ...(title === undefined ? {} : { title, level, data: tooLong }),
    ...(error === undefined ? {} : { error }),
    ...(draft.type.endsWith('Complete') ? { result: tooLong } : {}),
  });
};

/** What an entry reports about an action or webhook. */
export type ActivityKind = 'Started' | 'Complete' | 'Failed' | 'CustomLog';

/** The activity log, which is best effort: its methods never throw, wait or block. */
export interface Activity {
  /** Adds an entry about the webhook of an integration. `CustomLog` takes `title`, `level` (10, 20, 30, 40) and `data`. */
  webhook(kind: ActivityKind, integrationId: string, payload?: Payload): void;
  /** Adds an entry about an action of an integration. */
  action(kind: ActivityKind, integrationId: string, actionId: string, payload?: Payload): void;
  /** Publishes the waiting entries at the end of the process; drops and counts those that miss the deadline. */
  flush(deadlineMs: number): Promise<void>;
}

/** Options of the activity log. */
export interface ActivityOptions {
  readonly bus: Pick<Bus, 'publish'>;
  readonly context: Pick<Context, 'clock' | 'random' | 'log' | 'metrics'>;
  readonly topic: string;
  /** `webhook_id` of webhook entries: the slug of the integration's type with `_webhook`. */
  readonly webhookId: string;
  /** Maximum number of waiting entries, default 10,000; more are dropped and counted. */
  readonly limit?: number;
}

const lingerMs = 50;
const publishMs = 4_000;
const tries = 5;
const backoff: Backoff = { baseMs: 4_000, maxMs: 60_000, jitterMs: 5_000 };
const batch = { records: 500, characters: 512_000 };

const takeBatch = (queue: OutgoingRecord[]): OutgoingRecord[] => {
  let characters = 0;
  let count = 0;
  for (const { value } of queue) {
    characters += value.length;
    if (count > 0 && (count === batch.records || characters > batch.characters)) break;
    count += 1;
  }
  return queue.splice(0, count);
};

/** Creates the activity log of this process. It publishes entries in batches shortly after they were added. */
export const createActivity = ({ bus, context, topic, webhookId, limit = 10_000 }: ActivityOptions): Activity => {
  const { clock, random, log, metrics } = context;
  const queue: OutgoingRecord[] = [];
  let linger: Timer | undefined;
  let running: Promise<void> | undefined;
  let flushEnd: number | undefined;
  let hurry = new AbortController();

  const drop = (count: number, error?: unknown): void => {
    if (count === 0) return;
    metrics.count('relay_activity_dropped_total', {}, count);
    log.warn({ count, ...(error ? { err: error } : {}) }, 'activity-log entries were dropped');
  };

  const leftMs = (): number => (flushEnd === undefined ? publishMs : Math.min(publishMs, flushEnd - clock.monotonic()));

  const publish = async (records: readonly OutgoingRecord[]): Promise<void> => {
    for (let attempt = 0; ; attempt += 1) {
      try {
        return await bus.publish(topic, records, { deadlineMs: Math.max(1, leftMs()) });
      } catch (failure) {
        const error = toRelayError(failure);
        const last = attempt + 1 >= tries || error.next === 'dead' || flushEnd !== undefined;
        if (last) return drop(records.length, error);
        await pause(clock, delayFor(backoff, attempt, random), hurry.signal);
      }
    }
  };

  const pump = async (): Promise<void> => {
    while (queue.length > 0 && leftMs() > 0) await publish(takeBatch(queue));
  };

  const start = (): Promise<void> => {
    linger?.cancel();
    linger = undefined;
    running ??= pump().finally(() => (running = undefined));
    return running;
  };

  const add = (draft: Omit<EntryDraft, 'eventId' | 'at'>): void => {
    if (queue.length >= limit) return drop(1);
    try {
      queue.push({
        key: draft.integrationId,
        value: writeEntry({ ...draft, eventId: random.uuid(), at: clock.now() }),
      });
    } catch (error) {
      return drop(1, error);
    }
    if (!running) linger ??= clock.after(lingerMs, () => void start());
  };

  return {
    webhook: (kind, integrationId, payload = {}) =>
      add({ type: `IntegrationWebhook${kind}`, integrationId, subject: { webhook_id: webhookId }, payload }),
    action: (kind, integrationId, actionId, payload = {}) =>
      add({ type: `IntegrationAction${kind}`, integrationId, subject: { action_id: actionId }, payload }),
    async flush(deadlineMs) {
      flushEnd = clock.monotonic() + deadlineMs;
      hurry.abort();
      await endsWithin({ clock, ms: deadlineMs, ref: true }, start());
      drop(queue.splice(0).length);
      flushEnd = undefined;
      hurry = new AbortController();
    },
  };
};
