import type { DeadLetterFacts, OutgoingRecord } from '@ranger-relay/bus';
import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { publishRows } from './publish.ts';

const limit = 100;

const setUp = () => {
  const stored: string[] = [];
  const letters: DeadLetterFacts[] = [];
  const now = { is: Date.UTC(2026, 0, 1) };
  const publish = async (topic: string, records: readonly OutgoingRecord[]): Promise<void> => {
    const sizes = records.map(({ value }) => value.length);
    if (sizes.some((bytes) => bytes > limit))
      throw new RelayError('record_too_large', { details: { bytes: Math.max(...sizes), limit, topic } });
    stored.push(...records.map(({ key }) => key));
  };
  const deps = {
    bus: { publish },
    topic: 'site-events',
    deadLetters: { write: async (facts: DeadLetterFacts) => void letters.push(facts) },
    integrationId: 'i',
    clock: { now: () => now.is },
    signal: new AbortController().signal,
  };
  const pull = (rows: readonly { id: string; title: string }[]): Promise<void> =>
    publishRows(deps, 'site_event', rows, (batch, received_at) =>
      batch.map((row) => ({ key: row.id, value: JSON.stringify({ received_at, row }) })),
    );
  return { stored, letters, now, pull };
};

test('a row that is too large for its topic is one dead letter however often it is read, another one once it changes, and the others are stored', async (t) => {
  const { stored, letters, now, pull } = setUp();
  const large = { id: 'large', title: 'x'.repeat(limit) };
  for (const _ of [1, 2]) {
    await pull([{ id: 'a', title: '' }, large, { id: 'b', title: '' }]);
    now.is += 600_000;
  }
  await pull([{ ...large, title: 'y'.repeat(limit) }]);
  t.deepEqual(stored, ['a', 'b', 'a', 'b']);
  const [first, second, changed] = letters.map(({ identity }) => identity);
  t.is(letters.length, 3);
  t.deepEqual(second, first);
  t.notDeepEqual(changed, first);
});
