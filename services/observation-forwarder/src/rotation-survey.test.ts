import type { Bus, BusRecord } from '@ranger-relay/bus';
import test from 'ava';
import { parkA, parkB } from './test/events.ts';
import { carries, copyOf, surveyRotations } from './rotation-survey.ts';

/** A partition with a record at each offset; `copies` says which ones are copies, and of which offset. */
const partition = (length: number, copies: Readonly<Record<number, readonly [token: string, of: number]>>) => {
  const records: BusRecord[] = [];
  for (let offset = 0; offset < length; offset += 1) {
    const plain = { topic: 'p', partition: 2, offset: BigInt(offset), key: parkA, value: Buffer.from(`${offset}`) };
    const record = { ...plain, headers: {}, timestamp: 0 };
    const [token, of] = copies[offset] ?? [];
    const copy = token === undefined || of === undefined ? undefined : copyOf(records[of] as BusRecord, token);
    records.push({ ...record, headers: copy?.headers ?? {}, value: Buffer.from(copy?.value ?? plain.value) });
  }
  const read: Bus['read'] = async function* () {
    yield* records;
  };
  return { records, bus: { read } as Bus };
};

const survey = async (length: number, copies: Parameters<typeof partition>[1]) =>
  (await surveyRotations(partition(length, copies).bus, { topic: 'p' })).get(parkA);

test('a copy keeps key, bytes and headers, and says by which rotation and from where it was taken', (t) => {
  const original = { ...(partition(5, {}).records[4] as BusRecord), headers: { traceparent: 'x' } };
  const copy = copyOf(original, 'one');
  t.is(copy.key, original.key);
  t.deepEqual(copy.value, original.value);
  t.deepEqual(copy.headers, { traceparent: 'x', rotated: 'one', 'rotated-from': '2:4' });
  t.true(carries({ ...original, headers: copy.headers ?? {} }, 'one'));
});

test('a topic without copies says nothing', async (t) => {
  t.is(await survey(5, {}), undefined);
  t.is((await surveyRotations(partition(5, {}).bus, { topic: 'p' })).get(parkB), undefined);
});

test('a rotation is unfinished until the last record before its copies has one', async (t) => {
  t.like(await survey(3, { 2: ['one', 0] }), { token: 'one', first: 2n, unfinished: true });
  t.like(await survey(4, { 2: ['one', 0], 3: ['one', 1] }), { token: 'one', first: 2n, unfinished: false });
});

test('only records with a copy of their own count as moved', async (t) => {
  const moved = await survey(5, { 3: ['one', 0], 4: ['one', 2] });
  t.deepEqual([...(moved?.copied ?? [])], [0n, 2n]);
});

test('of several rotations the one that got furthest counts, stray copies of an older one do not', async (t) => {
  t.like(await survey(6, { 2: ['one', 0], 3: ['one', 1], 4: ['two', 3], 5: ['one', 0] }), { token: 'two', first: 4n });
});

test('copies that were taken elsewhere are no copies of what lies here', async (t) => {
  const { records } = partition(3, { 2: ['one', 0] });
  for (const from of ['1:0', '2:2', '2:9', 'x', '']) {
    const foreign = { ...(records[2] as BusRecord), headers: { rotated: 'one', 'rotated-from': from } };
    const read: Bus['read'] = async function* () {
      yield* [...records.slice(0, 2), foreign];
    };
    t.is((await surveyRotations({ read } as Bus, { topic: 'p' })).size, 0, from);
  }
});
