import { movedHeaders } from '../../port.ts';
import { consume, type ContractCase, first, letters, stored, textOf } from './inbox.ts';

const patience = (): AbortSignal => AbortSignal.timeout(15_000);

/** Cases of reading without a group, and of looking at what waits. */
export const readingCases: readonly ContractCase[] = [
  {
    name: 'reading ends at the present end, and keeps the order of each key',
    async run(t, { bus }) {
      await bus.publish(
        'events',
        Array.from({ length: 1_200 }, (_, i) => ({ key: `k${i % 5}`, value: `k${i % 5} ${i}` })),
      );
      const texts = await stored(bus, 'events');
      t.is(texts.length, 1_200);
      for (let k = 0; k < 5; k += 1) {
        const numbers = texts.filter((text) => text.startsWith(`k${k} `)).map((text) => Number(text.split(' ')[1]));
        t.deepEqual(
          numbers,
          [...numbers].sort((a, b) => a - b),
        );
      }
    },
  },
  {
    name: 'reading an empty topic ends at once',
    async run(t, { bus }) {
      t.deepEqual(await stored(bus, 'events'), []);
    },
  },
  {
    name: 'the last records of a topic are compared with a time, partition by partition',
    async run(t, { bus }) {
      const before = Date.now() - 60_000;
      t.deepEqual(await bus.lastRecords('single', before), { partitions: 0, newer: [] });
      await bus.publish('single', letters('k', 'a', 'b'));
      const { partitions, newer } = await bus.lastRecords('single', before);
      t.is(partitions, 1);
      t.true(newer.length === 1 && newer.every((at) => at !== null && at > before && at < Date.now() + 60_000));
      t.deepEqual(await bus.lastRecords('single', Date.now() + 60_000), { partitions: 1, newer: [] });
      t.deepEqual(await bus.lastRecords('events', before), { partitions: 0, newer: [] });
    },
  },
  {
    name: 'reading from given offsets starts there',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'a', 'b', 'c'));
      const all = await first(bus.read({ topic: 'single' }), 3);
      const offsets = new Map([[0, all[1]?.offset ?? 0n]]);
      t.deepEqual((await first(bus.read({ topic: 'single', offsets }), 9)).map(textOf), ['b', 'c']);
    },
  },
  {
    name: 'reading from the latest and following gets what comes',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'old'));
      const records = bus.read({ topic: 'single', from: 'latest', follow: true, signal: patience() });
      const over = new AbortController();
      const reading = first(records, 2).finally(() => over.abort());
      // Where the topic ended is asked meanwhile: how many of these come before the answer is open.
      for (let n = 1; !over.signal.aborted; n += 1) await bus.publish('single', letters('k', `new ${n}`));
      const [one, two] = (await reading).map((record) => Number(/^new (\d+)$/.exec(textOf(record))?.[1]));
      t.is(two, (one ?? NaN) + 1);
    },
  },
  {
    name: 'reading from the latest without following gets nothing',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'old'));
      t.deepEqual(await first(bus.read({ topic: 'single', from: 'latest' }), 1), []);
    },
  },
  {
    name: 'following gets what another client publishes',
    async run(t, { bus, beside }) {
      const other = await beside();
      const reading = first(other.read({ topic: 'events', follow: true, signal: patience() }), 3);
      for (const text of ['a', 'b', 'c']) await bus.publish('events', letters('k', text));
      t.deepEqual((await reading).map(textOf), ['a', 'b', 'c']);
    },
  },
  {
    name: 'following ends quietly when it is aborted, also in the middle of a page',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'a', 'b', 'c'));
      const stop = new AbortController();
      const texts: string[] = [];
      for await (const record of bus.read({ topic: 'single', follow: true, signal: stop.signal })) {
        texts.push(textOf(record));
        if (texts.length === 2) stop.abort();
      }
      t.deepEqual(texts, ['a', 'b']);
      const waiting = new AbortController();
      const reading = first(bus.read({ topic: 'single', from: 'latest', follow: true, signal: waiting.signal }), 1);
      await stored(bus, 'single');
      waiting.abort();
      t.deepEqual(await reading, []);
    },
  },
  {
    name: 'reading behind a group reads what it has not done, behind a key that waits too',
    async run(t, { bus }) {
      await bus.publish('single', [...letters('k', 'a', 'b', 'c'), ...letters('l', 'd')]);
      const { inbox, subscription } = await consume(bus, { topic: 'single', lane: 'key' }, (text) =>
        text === 'b' ? { kind: 'retry', afterMs: 60_000 } : undefined,
      );
      await inbox.until(() => ['b', 'd'].every((text) => inbox.texts.includes(text)), 'b and d');
      await subscription.close();
      t.deepEqual((await first(bus.read({ topic: 'single', from: 'undone:group' }), 9)).map(textOf), ['b', 'c']);
      t.is((await first(bus.read({ topic: 'single', from: 'undone:unknown' }), 9)).length, 4);
    },
  },
  {
    name: 'reading takes nothing from a group',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'a'));
      t.deepEqual(await stored(bus, 'single'), ['a']);
      const { inbox } = await consume(bus, { topic: 'single' });
      await inbox.count(1);
      t.deepEqual(inbox.texts, ['a']);
    },
  },
  {
    name: 'a record that was moved is as old as it was before, where it is read and where it waits',
    async run(t, { bus }) {
      await bus.publish('events', [{ key: 'k', value: 'first' }]);
      const [before] = await first(bus.read({ topic: 'events' }), 1);
      const record = { ...before!, timestamp: before!.timestamp - 60_000 };
      await bus.publish('single', [{ key: 'k', value: 'moved', headers: movedHeaders(record) }]);
      const [moved] = await first(bus.read({ topic: 'single' }), 1);
      t.is(moved?.timestamp, record.timestamp);
      t.like(await bus.pending('single', 'group'), [{ key: 'k', count: 1, oldest: record.timestamp }]);
    },
  },
  {
    name: 'pending counts by key what a group has not committed, with times',
    async run(t, { bus }) {
      await bus.publish('events', [...letters('a', '1', '2'), ...letters('b', '3')]);
      await bus.publish('events', letters('a', '4'));
      const times = new Map<string, number[]>();
      for await (const { key, timestamp } of bus.read({ topic: 'events' }))
        times.set(key, [...(times.get(key) ?? []), timestamp]);
      const keys = [...(await bus.pending('events', 'group'))].sort((x, y) => x.key.localeCompare(y.key));
      t.deepEqual(
        keys,
        ['a', 'b'].map((key) => ({
          key,
          count: times.get(key)?.length ?? 0,
          oldest: Math.min(...(times.get(key) ?? [])),
          newest: Math.max(...(times.get(key) ?? [])),
        })),
      );
      const { inbox, subscription } = await consume(bus, { topic: 'events' });
      await inbox.count(4);
      await subscription.close();
      t.deepEqual(await bus.pending('events', 'group'), []);
      t.is((await bus.pending('events', 'another')).length, 2);
    },
  },
];
