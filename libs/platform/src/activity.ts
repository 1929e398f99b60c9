import type { ActivityKind, ActivityPayloads } from '@ranger-relay/contracts';
import { cleanJson, cutText, toRelayError } from '@ranger-relay/errors';
import {
  type Backoff,
  type Context,
  createRateLimitedLog,
  delayFor,
  endsWithin,
  pause,
  redact,
  type Timer,
} from '@ranger-relay/runtime';
import type { Bus, OutgoingRecord } from '@ranger-relay/bus';

type Reports = { readonly [K in ActivityKind]: { readonly kind: K; readonly payload: ActivityPayloads[K] } };

/** An entry before it is serialized. */
export type EntryDraft = Reports[ActivityKind] & {
  readonly eventId: string;
  /** ms since 1970. */
  readonly at: number;
  readonly integrationId: string;
  readonly subject: { readonly action_id: string } | { readonly webhook_id: string };
};

/** The platform truncates texts of entries to this many characters. */
const textLength = 200;
/** Maximum length of an entry, so that a batch of entries fits into a record. */
const entryLength = 65_536;

/** An object or null, as the platform requires; wraps any other value. */
const asObject = (value: unknown): object | null =>
  value === null || value === undefined || (typeof value === 'object' && !Array.isArray(value))
    ? (value ?? null)
    : { result: value };

/** Cuts an error and keeps the HTTP status at its end. */
const shortError = (error: string): string => {
  const [status = ''] = / \(HTTP \d{3}\)$/.exec(error) ?? [];
  return cutText(error.slice(0, error.length - status.length), textLength - status.length) + status;
};

/** The members of an entry in the types of the platform's model. */
const membersOf = ({ kind, payload, subject }: EntryDraft): Record<string, unknown> => {
  if (kind === 'CustomLog') {
    const { title, level, data } = payload;
    return { title: cutText(title, textLength), level, data: asObject(data) ?? {} };
  }
  if (kind === 'Failed' && 'webhook_id' in subject) return { error: shortError(payload.error) };
  const config_data = asObject(payload.config_data) ?? {};
  if (kind === 'Started') return { config_data };
  if (kind === 'Complete') return { config_data, result: asObject(payload.result) };
  return { ...payload, config_data, error: shortError(payload.error) };
};

/** Members whose length nothing bounds, and what takes their place in an entry that is too long. */
const unbounded = new Set(['config_data', 'result', 'data']);
const tooLong = { too_long: true };

const bounded = (members: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      if (name === 'error_traceback' || name.startsWith('request_') || name === 'server_response_body') return [];
      return [[name, unbounded.has(name) ? tooLong : value]];
    }),
  );

const write = (draft: EntryDraft, members: Record<string, unknown>): string =>
  cleanJson({
    event_id: draft.eventId,
    timestamp: new Date(draft.at).toISOString(),
    schema_version: 'v1',
    event_type: `Integration${'webhook_id' in draft.subject ? 'Webhook' : 'Action'}${draft.kind}`,
    payload: { integration_id: draft.integrationId, ...draft.subject, ...members },
  });

/** Serializes an entry in the form that its type requires, without secrets and with bounded length (platform contract, activity-log events). */
export const writeEntry = (draft: EntryDraft): string => {
  const members = membersOf({ ...draft, payload: redact(draft.payload) } as EntryDraft);
  const whole = write(draft, members);
  return whole.length <= entryLength ? whole : write(draft, bounded(members));
};

/** The activity log, which is best effort: its methods never throw, wait or block. */
export interface Activity {
  /** Adds an entry about the webhook of an integration. */
  webhook<K extends ActivityKind>(kind: K, integrationId: string, payload: ActivityPayloads[K]): void;
  /** Adds an entry about an action of an integration. */
  action<K extends ActivityKind>(kind: K, integrationId: string, actionId: string, payload: ActivityPayloads[K]): void;
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
  /** Maximum size of the waiting entries, bytes, default 16 MiB; more are dropped and counted. */
  readonly maxBytes?: number;
}

const lingerMs = 50;
const publishMs = 4_000;
const tries = 5;
const backoff: Backoff = { baseMs: 4_000, maxMs: 60_000, jitterMs: 5_000 };
const batch = { records: 500, bytes: 512_000 };

/** A waiting entry. */
interface Entry extends OutgoingRecord {
  readonly bytes: number;
}

const bytesOf = (records: readonly Entry[]): number => records.reduce((sum, { bytes }) => sum + bytes, 0);

const takeBatch = (queue: Entry[]): Entry[] => {
  let bytes = 0;
  let count = 0;
  for (const entry of queue) {
    bytes += entry.bytes;
    if (count > 0 && (count === batch.records || bytes > batch.bytes)) break;
    count += 1;
  }
  return queue.splice(0, count);
};

/** Creates the activity log of this process. It publishes entries in batches shortly after they were added. */
export const createActivity = ({
  bus,
  context,
  topic,
  webhookId,
  maxBytes = 16_777_216,
}: ActivityOptions): Activity => {
  const { clock, random, log, metrics } = context;
  const limitedLog = createRateLimitedLog({ log, clock });
  const queue: Entry[] = [];
  /** Size of the entries that are not published yet. */
  let waitingBytes = 0;
  let linger: Timer | undefined;
  let running: Promise<void> | undefined;
  let flushEnd: number | undefined;
  let hurry = new AbortController();

  const drop = (count: number, error?: unknown): void => {
    if (count === 0) return;
    metrics.count('relay_activity_dropped_total', {}, count);
    limitedLog.warn('', error ? { err: error } : {}, 'activity-log entries were dropped', count);
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
    while (queue.length > 0 && leftMs() > 0) {
      const taken = takeBatch(queue);
      await publish(taken);
      waitingBytes -= bytesOf(taken);
    }
  };

  const start = (): Promise<void> => {
    linger?.cancel();
    linger = undefined;
    running ??= pump().finally(() => (running = undefined));
    return running;
  };

  const add = <K extends ActivityKind>(
    { integrationId, subject }: Pick<EntryDraft, 'integrationId' | 'subject'>,
    kind: K,
    payload: ActivityPayloads[K],
  ): void => {
    if (waitingBytes >= maxBytes) return drop(1);
    const report = { kind, payload } as Reports[ActivityKind];
    try {
      const value = writeEntry({ ...report, integrationId, subject, eventId: random.uuid(), at: clock.now() });
      const bytes = Buffer.byteLength(value);
      queue.push({ key: integrationId, value, bytes });
      waitingBytes += bytes;
    } catch (error) {
      return drop(1, error);
    }
    if (!running) linger ??= clock.after(lingerMs, () => void start());
  };

  return {
    webhook: (kind, integrationId, payload) =>
      add({ integrationId, subject: { webhook_id: webhookId } }, kind, payload),
    action: (kind, integrationId, actionId, payload) =>
      add({ integrationId, subject: { action_id: actionId } }, kind, payload),
    async flush(deadlineMs) {
      flushEnd = clock.monotonic() + deadlineMs;
      hurry.abort();
      await endsWithin({ clock, ms: deadlineMs, ref: true }, start());
      const late = queue.splice(0);
      waitingBytes -= bytesOf(late);
      drop(late.length);
      flushEnd = undefined;
      hurry = new AbortController();
    },
  };
};
