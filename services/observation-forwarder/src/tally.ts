import { isRelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';

/** What the platform accepted from one integration through one lane. */
export interface Accepted {
  readonly observations: number;
  readonly messages: number;
  /** When the newest of them was received, ISO. */
  readonly last_event_at: string | null;
}

/** Counts what the platform accepts of one batch. */
export interface Count {
  /** Adds and writes in the same turn, so that the count travels with the marks. Never rejects. */
  add(part: 'observations' | 'messages', count: number, receivedAt: string): Promise<void>;
}

const quietly = (error: unknown): null => {
  if (!isRelayError(error, 'kv_unavailable')) throw error;
  return null;
};

const none: Accepted = { observations: 0, messages: 0, last_event_at: null };

const isAccepted = (value: unknown): value is Accepted => {
  if (typeof value !== 'object' || value === null) return false;
  const { observations, messages, last_event_at: last } = value as Partial<Record<keyof Accepted, unknown>>;
  return Number.isFinite(observations) && Number.isFinite(messages) && (last === null || typeof last === 'string');
};

/** Counts that cannot be read start over: they must never hold up an event. */
const readAccepted = (text: string | null): Accepted => {
  try {
    const value: unknown = JSON.parse(text ?? 'null');
    return isAccepted(value) ? value : none;
  } catch {
    return none;
  }
};

const later = (a: string | null, b: string): string => (a !== null && a > b ? a : b);

/**
 * Opens the count of one lane, kept under `accepted.{integration_id}.{lane}` so that it is known since the store exists. A lane is served one
 * batch at a time, so each count has one writer. Never rejects; while the store is away what is added is not counted.
 */
export const openCount = async (state: KvSpace, integrationId: string, lane: string): Promise<Count> => {
  const key = `accepted.${integrationId}.${lane}`;
  let now: Accepted | null = await state.get(key).then(readAccepted, quietly);
  return {
    async add(part, count, receivedAt) {
      if (now === null) return;
      now = { ...now, [part]: now[part] + count, last_event_at: later(now.last_event_at, receivedAt) };
      await state.set(key, JSON.stringify(now)).catch(quietly);
    },
  };
};
