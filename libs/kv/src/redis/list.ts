import type { Calls } from './calls.ts';
import { compareCodePoints, patternOf } from './order.ts';

/** Keys that one step of the server's walk looks at, and values that one step fetches. */
const keysPerStep = '1000';
const valuesPerStep = 200;

const keysWith = async (calls: Calls, prefix: string): Promise<string[]> => {
  const found = new Set<string>();
  let cursor = '0';
  do {
    const answer = await calls.run(['SCAN', cursor, 'MATCH', patternOf(prefix), 'COUNT', keysPerStep]);
    const [next, keys] = answer as [string, string[]];
    for (const key of keys) if (key.startsWith(prefix)) found.add(key);
    cursor = next;
  } while (cursor !== '0');
  return [...found].sort(compareCodePoints);
};

/**
 * Entries whose key starts with `prefix`, sorted by key. No snapshot: an entry that comes or goes meanwhile may be there or not,
 * one that stays is there. Each step has a deadline of its own, so that a large database can be walked.
 */
export const listEntries = async (calls: Calls, prefix: string): Promise<readonly { key: string; value: string }[]> => {
  const keys = await keysWith(calls, prefix);
  const entries: { key: string; value: string }[] = [];
  for (let from = 0; from < keys.length; from += valuesPerStep) {
    const step = keys.slice(from, from + valuesPerStep);
    const values = (await calls.run(['MGET', ...step])) as (string | null)[];
    step.forEach((key, index) => {
      const value = values[index];
      if (typeof value === 'string') entries.push({ key, value });
    });
  }
  return entries;
};
