import type { RelayError } from '@ranger-relay/errors';
import { movedHeaders } from '../../port.ts';
import { partitionOf } from '../../partitioner.ts';
import { consume, type ContractCase, events, first, letters, single, stored, textOf } from './inbox.ts';

const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);

/** Cases of publishing. */
export const publishCases: readonly ContractCase[] = [
  {
    name: 'a record arrives with its key, value, headers, place and time',
    async run(t, { bus }) {
      const before = Date.now();
      const { inbox } = await consume(bus, { topic: 'events' });
      await bus.publish('events', [{ key: 'k', value: 'v', headers: { traceparent: '00-1', other: 'ü' } }]);
      await inbox.count(1);
      const record = inbox.records[0];
      t.is(record?.topic, 'events');
      t.is(record?.key, 'k');
      t.is(textOf(record ?? { value: new Uint8Array() }), 'v');
      t.deepEqual({ ...record?.headers }, { traceparent: '00-1', other: 'ü' });
      t.is(record?.partition, partitionOf('k', events.partitions));
      t.true((record?.timestamp ?? 0) >= before && (record?.timestamp ?? 0) <= Date.now());
    },
  },
  {
    name: 'every byte of a value survives',
    async run(t, { bus }) {
      const value = Uint8Array.from(range(256));
      await bus.publish('single', [{ key: 'k', value }]);
      const [record] = await first(bus.read({ topic: 'single' }), 1);
      t.deepEqual([...(record?.value ?? [])], range(256));
    },
  },
  {
    name: 'a part of a larger buffer is published alone',
    async run(t, { bus }) {
      await bus.publish('single', [{ key: 'k', value: Buffer.from('abcdef').subarray(2, 4) }]);
      t.deepEqual(await stored(bus, 'single'), ['cd']);
    },
  },
  {
    name: 'an empty value, an empty key and no headers arrive as such',
    async run(t, { bus }) {
      await bus.publish('single', [{ key: '', value: '' }]);
      const [record] = await first(bus.read({ topic: 'single' }), 1);
      t.is(record?.key, '');
      t.is(record?.value.byteLength, 0);
      t.deepEqual({ ...record?.headers }, {});
    },
  },
  {
    name: 'text of any script arrives unchanged',
    async run(t, { bus }) {
      await bus.publish('single', [{ key: 'Ω:日本', value: 'Zürich 🦏 नमस्ते' }]);
      const [record] = await first(bus.read({ topic: 'single' }), 1);
      t.is(record?.key, 'Ω:日本');
      t.is(textOf(record ?? { value: new Uint8Array() }), 'Zürich 🦏 नमस्ते');
    },
  },
  {
    name: 'records of one call keep their order',
    async run(t, { bus }) {
      const values = range(300).map(String);
      await bus.publish('single', letters('k', ...values));
      t.deepEqual(await stored(bus, 'single'), values);
    },
  },
  {
    name: 'many calls at once keep the order of each key',
    async run(t, { bus }) {
      const { inbox } = await consume(bus, { topic: 'events' });
      const keys = range(10).map((k) => `key-${k}`);
      await Promise.all(
        range(40).flatMap((i) => keys.map((key) => bus.publish('events', letters(key, `${key} ${i}`)))),
      );
      await inbox.count(400);
      for (const key of keys)
        t.deepEqual(
          inbox.texts.filter((text) => text.startsWith(`${key} `)),
          range(40).map((i) => `${key} ${i}`),
        );
    },
  },
  {
    name: 'a key always goes to the same partition, and keys spread over all of them',
    async run(t, { bus }) {
      for (let round = 0; round < 2; round += 1)
        await bus.publish(
          'events',
          range(100).map((i) => ({ key: `key-${i}`, value: 'v' })),
        );
      const places = new Map<string, Set<number>>();
      for await (const { key, partition } of bus.read({ topic: 'events' }))
        places.set(key, (places.get(key) ?? new Set()).add(partition));
      t.true([...places.values()].every((partitions) => partitions.size === 1));
      const used = new Set<number>();
      for (const partitions of places.values()) for (const partition of partitions) used.add(partition);
      t.is(used.size, events.partitions);
    },
  },
  {
    name: 'a record over the limit of its topic is refused, and nothing of its call is stored',
    async run(t, { bus }) {
      const records = [...letters('k', 'small'), { key: 'k', value: 'x'.repeat(events.maxRecordBytes + 1) }];
      const error = await t.throwsAsync<RelayError>(bus.publish('events', records));
      t.is(error?.code, 'record_too_large');
      t.deepEqual(await stored(bus, 'events'), []);
      await bus.publish('single', [{ key: 'k', value: 'x'.repeat(500_000) }]);
      t.is((await stored(bus, single.name))[0]?.length, 500_000);
    },
  },
  {
    name: 'what a topic takes, another of the same limit takes as a copy with the headers of its move',
    async run(t, { bus }) {
      const value = 'x'.repeat(events.maxRecordBytes);
      await bus.publish('events', letters('k', value));
      for await (const { key, headers, timestamp } of bus.read({ topic: 'events' }))
        await bus.publish('events', [{ key, value, headers: movedHeaders({ headers, timestamp }) }]);
      t.is((await stored(bus, 'events')).length, 2);
    },
  },
  {
    name: 'the limit counts bytes, not characters',
    async run(t, { bus }) {
      const value = 'ü'.repeat(events.maxRecordBytes - 100);
      t.is((await t.throwsAsync<RelayError>(bus.publish('events', letters('k', value))))?.code, 'record_too_large');
    },
  },
  {
    name: 'a topic that does not exist is refused for publishing, consuming and looking',
    async run(t, { bus }) {
      const code = async (work: Promise<unknown>) => (await t.throwsAsync<RelayError>(work))?.code;
      t.is(await code(bus.publish('nowhere', letters('k', 'v'))), 'bus_topic_unknown');
      t.is(await code(consume(bus, { topic: 'nowhere' })), 'bus_topic_unknown');
      t.is(await code(bus.pending('nowhere', 'group')), 'bus_topic_unknown');
      t.is(await code(stored(bus, 'nowhere')), 'bus_topic_unknown');
    },
  },
  {
    name: 'publishing nothing is done at once',
    async run(t, { bus }) {
      await bus.publish('events', []);
      t.deepEqual(await stored(bus, 'events'), []);
    },
  },
  {
    name: 'a publish that takes too long rejects at its deadline',
    async run(t, { bus, stall }) {
      await stall();
      const error = await t.throwsAsync<RelayError>(bus.publish('single', letters('k', 'late'), { deadlineMs: 50 }));
      t.is(error?.code, 'deadline_exceeded');
      t.is(error?.next, 'retry');
      await bus.publish('single', letters('k', 'on time'), { deadlineMs: 15_000 });
      t.is((await stored(bus, 'single')).at(-1), 'on time');
    },
  },
  {
    name: 'what was acknowledged outlives kill -9, in order and without gaps',
    async run(t, { bus, killedPublisher }) {
      if (!killedPublisher) return void t.pass('the storage ends with its process');
      const acknowledged = await killedPublisher('single');
      t.true(acknowledged.length > 50);
      const kept = await stored(bus, 'single');
      t.deepEqual(kept.slice(0, acknowledged.length), [...acknowledged]);
      t.is(new Set(kept).size, kept.length);
    },
  },
];
