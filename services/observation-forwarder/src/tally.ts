import { jsonOf } from '@ranger-relay/errors';
import { type KvSpace, unlessUnavailable } from '@ranger-relay/kv';

/** Number of items that the platform accepted from one integration through one lane. */
export interface Accepted {
  readonly observations: number;
  readonly messages: number;
  /** When the newest of them was received, ISO. */
  readonly last_event_at: string | null;
}

/** Counts the accepted items of one batch. */
export interface Count {
  /** Adds and writes in the same turn, so that the count is stored along with the marks. Never rejects. */
  add(part: 'observations' | 'messages', count: number, receivedAt: string): Promise<void>;
  close(): void;
}

const none: Accepted = { observations: 0, messages: 0, last_event_at: null };

const isAccepted = (value: unknown): value is Accepted => {
  if (typeof value !== 'object' || value === null) return false;
  const { observations, messages, last_event_at: last } = value as Partial<Record<keyof Accepted, unknown>>;
  return Number.isFinite(observations) && Number.isFinite(messages) && (last === null || typeof last === 'string');
};

const readAccepted = (text: string | null): Accepted | undefined => {
  const value = jsonOf(text ?? '');
  return isAccepted(value) ? value : undefined;
};

/** The later of two ISO times, whatever their forms. */
export const later = (a: string | null, b: string | null): string | null => {
  if (a === null || b === null) return a ?? b;
  return Date.parse(a) >= Date.parse(b) ? a : b;
};

const prefix = 'accepted.';

/** What was accepted from each integration, of all lanes together. @throws RelayError `kv_unavailable` */
export const acceptedCounts = async (state: Pick<KvSpace, 'list'>): Promise<Map<string, Accepted>> => {
  const sums = new Map<string, Accepted>();
  for (const { key, value } of await state.list(prefix)) {
    const end = key.lastIndexOf('.');
    const count = readAccepted(value);
    if (end <= prefix.length || !count) continue;
    const id = key.slice(prefix.length, end);
    const sum = sums.get(id) ?? none;
    sums.set(id, {
      observations: sum.observations + count.observations,
      messages: sum.messages + count.messages,
      last_event_at: later(sum.last_event_at, count.last_event_at),
    });
  }
  return sums;
};

/** The counts of one process, stored under `accepted.{integration_id}.{lane}` so that they cover the lifetime of the store. */
export interface Counts {
  /** Opens the count of one lane; several batches may have it open at once. Never rejects. */
  open(integrationId: string, lane: string): Promise<Count>;
}

interface OpenCount {
  users: number;
  /** Undefined when the store is unavailable: additions are not counted. */
  accepted: Accepted | undefined;
  readonly loaded: Promise<void>;
}

/** Creates the counts. A lane belongs to a partition, and so to one process at a time. */
export const createCounts = (state: KvSpace): Counts => {
  const counts = new Map<string, OpenCount>();

  const load = (key: string): OpenCount => {
    // Unreadable counts start over: they must never delay an event.
    const reading = unlessUnavailable(state.get(key).then((text) => readAccepted(text) ?? none));
    const loaded = reading.then((read) => void (count.accepted = read));
    const count: OpenCount = { users: 0, accepted: undefined, loaded };
    counts.set(key, count);
    return count;
  };

  return {
    async open(integrationId, lane) {
      const key = `${prefix}${integrationId}.${lane}`;
      const count = counts.get(key) ?? load(key);
      count.users += 1;
      await count.loaded;
      return {
        async add(part, number, receivedAt) {
          const before = count.accepted;
          if (before === undefined) return;
          const last = later(before.last_event_at, receivedAt);
          count.accepted = { ...before, [part]: before[part] + number, last_event_at: last };
          await unlessUnavailable(state.set(key, JSON.stringify(count.accepted)));
        },
        close() {
          count.users -= 1;
          if (count.users === 0 && counts.get(key) === count) counts.delete(key);
        },
      };
    },
  };
};
