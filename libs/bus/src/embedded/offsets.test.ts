import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { firstCommit } from '../consume/commit.ts';
import test, { type ExecutionContext } from 'ava';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import { openSqlite, type SqliteFile } from '@ranger-relay/sqlite';
import { createOffsets } from './offsets.ts';
import { schema } from './schema.ts';

const start = async (t: ExecutionContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'relay-offsets-'));
  const clock = manualClock();
  const inner = await openSqlite({ path: join(folder, 'bus.sqlite'), schema, clock });
  t.teardown(async () => {
    await inner.close();
    await rm(folder, { recursive: true, force: true });
  });
  let writes = 0;
  let broken = false;
  const file: SqliteFile = {
    ...inner,
    write: (unit, options) => {
      writes += 1;
      return broken ? Promise.reject(new Error('full')) : inner.write(unit, options);
    },
  };
  const { log, lines } = recordingLogger();
  const stored = async (): Promise<unknown> =>
    (await inner.read('SELECT reader, slot, next FROM offsets')).map(Object.values);
  return {
    clock,
    lines,
    stored,
    offsets: createOffsets(file, clock, log),
    writes: () => writes,
    breaks: (now: boolean) => (broken = now),
  };
};

test('commits of 100 ms travel in one write, the last of each partition alone', async (t) => {
  const { clock, offsets, writes, stored } = await start(t);
  for (let next = 1n; next <= 50n; next += 1n) {
    offsets.commit('group', 1, firstCommit(next));
    offsets.commit('group', 2, firstCommit(next * 2n));
  }
  t.is(writes(), 0);
  await clock.advance(100);
  t.deepEqual(await stored(), [
    ['group', 1, 50],
    ['group', 2, 100],
  ]);
  t.is(writes(), 1);
  await clock.advance(60_000);
  t.is(writes(), 1);
  t.is(clock.pending(), 0);
});

test('a commit on its way is already what a look sees', async (t) => {
  const { offsets } = await start(t);
  t.is(await offsets.get('group', 1), null);
  offsets.commit('group', 1, firstCommit(7n));
  t.is((await offsets.get('group', 1))?.offset, 7n);
  await offsets.flush();
  t.is((await offsets.get('group', 1))?.offset, 7n);
  t.is(await offsets.get('another', 1), null);
});

test('a flush has stored what was committed before it, also while another one is under way', async (t) => {
  const { offsets, stored } = await start(t);
  offsets.commit('group', 1, firstCommit(4n));
  const earlier = offsets.flush();
  offsets.commit('group', 1, firstCommit(6n));
  await offsets.flush();
  t.deepEqual(await stored(), [['group', 1, 6]]);
  await earlier;
});

test('an offset never goes back', async (t) => {
  const { offsets } = await start(t);
  offsets.commit('group', 1, firstCommit(9n));
  await offsets.flush();
  offsets.commit('group', 1, firstCommit(3n));
  await offsets.flush();
  t.is((await offsets.get('group', 1))?.offset, 9n);
});

test('the start of a group is stored once', async (t) => {
  const { offsets } = await start(t);
  await offsets.begin('group', [1, 2], 5n);
  await offsets.begin('group', [1, 2, 3], 8n);
  t.deepEqual(await Promise.all([1, 2, 3].map(async (slot) => (await offsets.get('group', slot))?.offset)), [
    5n,
    5n,
    8n,
  ]);
});

test('what could not be stored is tried again, newer offsets included', async (t) => {
  const { clock, lines, offsets, breaks, stored } = await start(t);
  breaks(true);
  offsets.commit('group', 1, firstCommit(4n));
  await clock.advance(100);
  t.is(lines.length, 1);
  t.deepEqual(await stored(), []);
  offsets.commit('group', 1, firstCommit(6n));
  breaks(false);
  await clock.advance(1_000);
  t.deepEqual(await stored(), [['group', 1, 6]]);
});

test('after closing nothing is stored by itself; what is left is for the caller to flush', async (t) => {
  const { clock, offsets, stored } = await start(t);
  offsets.commit('group', 1, firstCommit(4n));
  offsets.close();
  await clock.advance(60_000);
  t.is((await offsets.get('group', 1))?.offset, 4n);
  t.deepEqual(await stored(), []);
  await offsets.flush();
  t.deepEqual(await stored(), [['group', 1, 4]]);
});
