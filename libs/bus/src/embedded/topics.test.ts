import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { systemClock } from '@ranger-relay/runtime';
import { openSqlite } from '@ranger-relay/sqlite';
import { partitionOf } from '../partitioner.ts';
import { schema } from './schema.ts';
import { loadTopics, slotOf, type BusTopic } from './topics.ts';

const file = async (t: ExecutionContext) => {
  const folder = await mkdtemp(join(tmpdir(), 'relay-topics-'));
  const opened = await openSqlite({ path: join(folder, 'bus.sqlite'), schema, clock: systemClock });
  t.teardown(async () => {
    await opened.close();
    await rm(folder, { recursive: true, force: true });
  });
  return opened;
};

const spec = (name: string, partitions: number): BusTopic => ({ name, partitions, retentionMs: 1, maxRecordBytes: 1 });

test('every partition of every topic has a slot of its own', async (t) => {
  const topics = await loadTopics(await file(t), [spec('a', 3), spec('b', 12)], true);
  const slots = topics.all().flatMap((topic) => topic.slots);
  t.is(slots.length, 15);
  t.is(new Set(slots).size, 15);
});

test('slots stay the same when topics are loaded again, in any order and with others', async (t) => {
  const opened = await file(t);
  const before = await loadTopics(opened, [spec('a', 3), spec('b', 2)], true);
  const after = await loadTopics(opened, [spec('c', 2), spec('b', 2), spec('a', 3)], true);
  t.deepEqual(after.get('a').slots, before.get('a').slots);
  t.deepEqual(after.get('b').slots, before.get('b').slots);
});

test('without creating, only what the file has is known', async (t) => {
  const opened = await file(t);
  await loadTopics(opened, [spec('a', 1)], true);
  const topics = await loadTopics(opened, [spec('a', 1), spec('b', 1)], false);
  t.is(topics.get('a').slots.length, 1);
  const error = t.throws<RelayError>(() => topics.get('b'));
  t.is(error?.code, 'bus_topic_unknown');
  t.is(error?.details['topic'], 'b');
});

test('without creating, what lies in the file is known whether it was named or not', async (t) => {
  const opened = await file(t);
  const made = await loadTopics(opened, [spec('a', 1), spec('named-by-its-owner', 3)], true);
  const topics = await loadTopics(opened, [spec('a', 1)], false);
  t.deepEqual(topics.get('named-by-its-owner').slots, made.get('named-by-its-owner').slots);
  t.deepEqual(
    topics.all().map((topic) => topic.spec.name),
    ['a'],
  );
});

test('a key goes to the slot of its partition', async (t) => {
  const topic = (await loadTopics(await file(t), [spec('a', 12)], true)).get('a');
  for (const key of ['', 'a', 'b:1', 'ü']) t.is(slotOf(topic, key), topic.slots[partitionOf(key, 12)] as number);
});
