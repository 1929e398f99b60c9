import { hash } from 'node:crypto';
import type { Clock } from '../time/clock.ts';

const messageTtlMs = 1_800_000;
const eventTtlMs = 3_600_000;

/** JSON with sorted keys, so that equal items have equal texts. */
export const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  let text = '';
  for (const key of Object.keys(value).sort())
    text += `${text && ','}${JSON.stringify(key)}:${canonical((value as Record<string, unknown>)[key])}`;
  return `{${text}}`;
};

/** Marks of items seen lately: the same item of the same integration and source. */
export interface Dedup {
  /** True when the item was seen within its time (1800 s, events 3600 s); marks it, or renews the mark. */
  seen(kind: string, integration: string, item: Readonly<Record<string, unknown>>, at?: number): boolean;
  /** Marks that live. */
  size(): number;
}

/** One kind's marks: renewing moves a key to the end, so the oldest always come first. */
const createMarks = (ttlMs: number, capacity: number) => {
  const marks = new Map<string, number>();
  const purge = (now: number): void => {
    for (const [key, at] of marks) {
      if (at > now - ttlMs && marks.size <= capacity) return;
      marks.delete(key);
    }
  };
  return {
    marks,
    seen(key: string, at: number): boolean {
      purge(at);
      const before = marks.get(key);
      if (before !== undefined) marks.delete(key);
      marks.set(key, at);
      return before !== undefined;
    },
  };
};

/** Creates an empty set of marks; beyond `capacity` of a kind the oldest are dropped. */
export const createDedup = (clock: Clock, capacity = 1_000_000): Dedup => {
  const short = createMarks(messageTtlMs, capacity);
  const long = createMarks(eventTtlMs, capacity);
  return {
    seen(kind, integration, item, at = clock.now()) {
      const source = item['source'] ?? 'default-source';
      const key = hash('sha1', `${kind} ${integration} ${String(source)} ${canonical(item)}`, 'base64url');
      return (kind === 'event' ? long : short).seen(key, at);
    },
    size: () => short.marks.size + long.marks.size,
  };
};
