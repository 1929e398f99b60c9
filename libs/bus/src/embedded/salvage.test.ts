import { open, readFile, stat } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { systemClock } from '@ranger-relay/runtime';
import { stored, textOf } from '../testing/contract/inbox.ts';
import { temporaryBus } from '../testing/temporary-bus.ts';
import { openEmbeddedBus } from './open.ts';
import { salvageBus } from './salvage.ts';
import { testContext } from '@ranger-relay/runtime/testing';
import { topics } from '@ranger-relay/contracts';

const total = 3_000;
const page = 4_096;

const filled = async (t: ExecutionContext): Promise<string> => {
  const { bus, path } = await temporaryBus(t);
  for (let i = 0; i < total; i += 500)
    await bus.publish(
      'source-events',
      Array.from({ length: 500 }, (_, k) => ({ key: `k${(i + k) % 50}`, value: `record ${i + k} ${'.'.repeat(300)}` })),
    );
  const subscription = await bus.consume({
    topic: 'source-events',
    group: 'group',
    from: 'latest',
    handle: ({ records }) => Promise.resolve(records.map(() => ({ kind: 'done' }))),
  });
  await subscription.close();
  await bus.close();
  return path;
};

const garbage = async (path: string, from: number, pages: number): Promise<void> => {
  const file = await open(path, 'r+');
  await file.write(Buffer.alloc(page * pages, 0x5a), 0, page * pages, page * from);
  await file.close();
};

const reopened = async (t: ExecutionContext, path: string) => {
  const { clock, random, log, metrics } = testContext();
  const bus = await openEmbeddedBus({ path, topics: Object.values(topics), clock, random, log, metrics });
  t.teardown(() => bus.close());
  return bus;
};

test('an undamaged file is copied whole, with offsets and topics', async (t) => {
  const path = await filled(t);
  t.deepEqual(await salvageBus(path, `${path}.new`, systemClock), { records: total, lost: [], incomplete: [] });
  const bus = await reopened(t, `${path}.new`);
  t.is((await stored(bus, 'source-events')).length, total);
  t.deepEqual(await bus.pending('source-events', 'group'), []);
});

test('of a file with overwritten pages everything but their records is saved, byte for byte', async (t) => {
  const path = await filled(t);
  const pages = Math.trunc((await stat(path)).size / page);
  await garbage(path, Math.trunc(pages / 2), 5);
  await garbage(path, Math.trunc(pages / 4), 1);
  const before = await readFile(path);
  const { records, lost } = await salvageBus(path, `${path}.new`, systemClock);
  t.deepEqual(await readFile(path), before);
  t.true(records > total - 200, `${records} records were saved`);
  t.true(records < total);
  const gone = lost.reduce((sum, { from, to }) => sum + to - from + 1, 0);
  t.is(records + gone, total);
  const bus = await reopened(t, `${path}.new`);
  for await (const record of bus.read({ topic: 'source-events' }))
    t.is(textOf(record), `record ${Number(record.offset) - 1} ${'.'.repeat(300)}`);
});

test('a salvaged file goes on with offsets that were never used', async (t) => {
  const path = await filled(t);
  await salvageBus(path, `${path}.new`, systemClock);
  const bus = await reopened(t, `${path}.new`);
  await bus.publish('source-events', [{ key: 'k1', value: 'next' }]);
  const offsets = new Set<bigint>();
  for await (const { offset } of bus.read({ topic: 'source-events' })) offsets.add(offset);
  t.is(offsets.size, total + 1);
});

test('when the newest records are lost, new ones still lie behind what a group has committed', async (t) => {
  const path = await filled(t);
  const pages = Math.trunc((await stat(path)).size / page);
  await garbage(path, pages - 40, 38);
  const { records, lost } = await salvageBus(path, `${path}.new`, systemClock);
  t.true(records < total);
  t.true(lost.length > 0);
  const bus = await reopened(t, `${path}.new`);
  await bus.publish('source-events', [{ key: 'k1', value: 'next' }]);
  const waiting = await bus.pending('source-events', 'group');
  t.deepEqual(
    waiting.map(({ key, count }) => [key, count]),
    [['k1', 1]],
  );
});

test('a file whose first page is gone cannot be salvaged, and says so', async (t) => {
  const path = await filled(t);
  await garbage(path, 0, 1);
  const error = await t.throwsAsync<RelayError>(salvageBus(path, `${path}.new`, systemClock));
  t.is(error?.code, 'store_damaged');
  await t.throwsAsync(stat(`${path}.new`), { code: 'ENOENT' });
});

test('the bus itself refuses a damaged file and names the remedy', async (t) => {
  const path = await filled(t);
  await garbage(path, 20, 5);
  const { clock, random, log, metrics } = testContext();
  const opening = openEmbeddedBus({ path, topics: [], clock, random, log, metrics, remedy: 'run the salvage command' });
  const error = await t.throwsAsync<RelayError>(opening);
  t.is(error?.code, 'store_damaged');
  t.regex(error?.message ?? '', /run the salvage command/);
});
