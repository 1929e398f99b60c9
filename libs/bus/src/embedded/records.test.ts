import test, { type ExecutionContext } from 'ava';
import { fc, testProp } from '@fast-check/ava';
import { systemClock } from '@ranger-relay/runtime';
import { openSqlite } from '@ranger-relay/sqlite';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BusRecord } from '../port.ts';
import { endOffset, readPage, type Range, type SlotRef } from './records.ts';
import { insertRecord, schema } from './schema.ts';

const ref: SlotRef = { topic: 'topic', partition: 0, slot: 1 };
const all: Range = { from: 0n, maxRecords: 100, maxBytes: 1_000_000 };

/** A file with values of these sizes in slot 1, each followed by a record of slot 2. */
const start = async (t: Pick<ExecutionContext, 'teardown'>, sizes: readonly number[]) => {
  const folder = await mkdtemp(join(tmpdir(), 'relay-records-'));
  const file = await openSqlite({ path: join(folder, 'bus.sqlite'), schema, clock: systemClock });
  t.teardown(async () => {
    await file.close();
    await rm(folder, { recursive: true, force: true });
  });
  const params = sizes.flatMap((size, i) => [
    [1, 1_000 + i, 'k', null, 'x'.repeat(size)],
    [2, 1_000 + i, 'other', null, ''],
  ]);
  if (params.length > 0) await file.write([{ sql: insertRecord, params }]);
  return file;
};

const offsets = (records: readonly BusRecord[]): number[] => records.map(({ offset }) => Number(offset));

test('a page holds the records of its slot alone, in order', async (t) => {
  const file = await start(t, [1, 1, 1]);
  const { records, exhausted } = await readPage(file, ref, all);
  t.deepEqual(offsets(records), [1, 3, 5]);
  t.true(exhausted);
  t.like(records[1], { topic: 'topic', partition: 0, key: 'k', timestamp: 1_001 });
});

test('a page begins and ends where it is told', async (t) => {
  const file = await start(t, [1, 1, 1, 1]);
  t.deepEqual(offsets((await readPage(file, ref, { ...all, from: 2n, before: 7n })).records), [3, 5]);
  t.deepEqual(offsets((await readPage(file, ref, { ...all, from: 3n, before: null })).records), [3, 5, 7]);
});

test('a page that was cut by count or by bytes is not the end', async (t) => {
  const file = await start(t, [10, 10, 10]);
  const byCount = await readPage(file, ref, { ...all, maxRecords: 2 });
  t.deepEqual([byCount.records.length, byCount.exhausted], [2, false]);
  const byBytes = await readPage(file, ref, { ...all, maxBytes: 15 });
  t.deepEqual([byBytes.records.length, byBytes.exhausted], [2, false]);
  const huge = await readPage(file, ref, { ...all, maxBytes: 1 });
  t.deepEqual([huge.records.length, huge.exhausted], [1, false]);
});

test('the end lies behind the last record of any slot', async (t) => {
  t.is(await endOffset(await start(t, [])), 1n);
  t.is(await endOffset(await start(t, [1, 1])), 5n);
});

testProp(
  'whatever the bounds, pages one after the other hold every record once',
  [
    fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 30 }),
    fc.integer({ min: 1, max: 7 }),
    fc.integer({ min: 1, max: 120 }),
  ],
  async (t, sizes, maxRecords, maxBytes) => {
    const ends: (() => void | Promise<void>)[] = [];
    const file = await start({ teardown: (end: () => void) => void ends.push(end) } as never, sizes);
    const seen: number[] = [];
    let from = 0n;
    for (let more = true; more;) {
      const { records, exhausted } = await readPage(file, ref, { from, maxRecords, maxBytes });
      seen.push(...offsets(records));
      from = (records.at(-1)?.offset ?? from) + 1n;
      more = !exhausted;
    }
    t.deepEqual(
      seen,
      sizes.map((_, i) => 2 * i + 1),
    );
    for (const end of ends) await end();
  },
  { numRuns: 15 },
);
