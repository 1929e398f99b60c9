import { join } from 'node:path';
import { fc, testProp } from '@fast-check/ava';
import type { ExecutionContext } from 'ava';
import type { Fault, When } from '../switches/fault.ts';
import { observation, scratch, startHarness } from '../test/harness.ts';
import type { SeenEntry } from './ingest-log.ts';

/** Behaviour that a caller may encounter. */
const fault: fc.Arbitrary<Fault | undefined> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  fc.record({
    fault: fc.constant('status' as const),
    status: fc.constantFrom(429, 500, 503),
    when: fc.constantFrom<When>('before', 'marked', 'after'),
  }),
  fc.record({ fault: fc.constant('reset' as const), when: fc.constantFrom<When>('before', 'marked', 'after') }),
  fc.constant({ fault: 'half_body' as const }),
);

/** One POST: which items, of which integration, and what strikes it. */
const step = fc.record({
  items: fc.array(fc.nat(8), { minLength: 1, maxLength: 5 }),
  key: fc.constantFrom('key-1', 'key-2'),
  bad: fc.boolean(),
  minutes: fc.constantFrom(0, 0, 5, 31),
  fault,
});

const numberOf = ({ item }: SeenEntry): number => (item as { additional: { n: number } }).additional.n;

/** Checks the ingest log against the rules, item by item. */
const checkIngestLog = (t: ExecutionContext, entries: readonly SeenEntry[]): void => {
  const seen = new Map<string, number>();
  for (const entry of entries) {
    const id = `${String(entry.integration)} ${numberOf(entry)}`;
    const touched = entry.outcome === 'stored' || entry.outcome === 'duplicate' || entry.outcome === 'marked';
    if (!touched) continue;
    const repeated = entry.at - (seen.get(id) ?? -Infinity) < 1_800_000;
    t.is(entry.outcome === 'duplicate', repeated, `${id} at ${entry.at}`);
    seen.set(id, entry.at);
  }
};

testProp(
  'whatever strikes, the ingest log has every item in order, marks hold, and a clean 200 means stored or seen before',
  [fc.array(step, { minLength: 1, maxLength: 12 })],
  async (t, steps) => {
    const harness = await startHarness(t as ExecutionContext, {
      stateFile: join(scratch(t as ExecutionContext), 'ingest-log'),
    });
    const sent: number[] = [];
    for (const { items, key, bad, minutes, fault: strike } of steps) {
      harness.clock.advance(minutes * 60_000);
      if (strike) harness.platform.switches.set({ ...strike, count: 1 });
      const list = items.map((n, index) => observation(n, bad && index === 0 ? { type: null } : {}));
      const reply = await harness.post('/v2/observations/', list, key);
      harness.platform.switches.clear();
      sent.push(...items);
      const { entries } = harness.platform.ingestLog.read({ since: sent.length - items.length });
      t.is(entries.length, items.length);
      const clean = reply.status === 200;
      t.is(
        clean,
        entries.every(({ status, answered }) => status === 200 && answered !== false),
      );
      if (clean) t.true(entries.every(({ outcome }) => outcome === 'stored' || outcome === 'duplicate'));
      if (bad) t.true(entries.every(({ outcome }) => outcome === 'refused' || outcome === 'failed'));
    }
    const { entries } = harness.platform.ingestLog.read();
    t.deepEqual(entries.map(numberOf), sent);
    checkIngestLog(t as ExecutionContext, entries);
    const { observation: counted } = harness.platform.stats().items;
    t.is(counted?.arrived, sent.length);
    t.is(counted?.stored, entries.filter(({ outcome }) => outcome === 'stored').length);
  },
  { numRuns: 25 },
);
