import { type DeadLetter, deadLetterSchema, topics } from '@ranger-relay/contracts';
import type { Bus, Outcome } from '../../port.ts';
import { consume, type ContractCase, first, Inbox, letters, textOf } from './inbox.ts';

const wait: Outcome = { kind: 'retry', afterMs: 60_000 };
const again: Outcome = { kind: 'retry', afterMs: 1 };

const dead = (more: object = {}): Outcome => ({
  kind: 'dead',
  letter: { kind: 'message', integrationId: 'i-1', reason: 'refused', detail: 'why', ...more },
});

const deadLetters = async (bus: Bus, n: number): Promise<DeadLetter[]> => {
  const signal = AbortSignal.timeout(15_000);
  const records = await first(bus.read({ topic: topics.deadLetters.name, follow: true, signal }), n);
  return records.map((record) => deadLetterSchema.parse(JSON.parse(textOf(record))));
};

/** Cases of outcomes and of what a handler throws. */
export const outcomeCases: readonly ContractCase[] = [
  {
    name: 'retry brings the record again, counted, and holds those behind it',
    async run(t, { bus }) {
      let tries = 0;
      await bus.publish('single', letters('k', 'a', 'b', 'c'));
      const { inbox } = await consume(bus, { topic: 'single' }, (text) =>
        text === 'b' && tries++ < 3 ? again : undefined,
      );
      await inbox.until(() => tries === 4, 'four tries');
      t.deepEqual(inbox.texts, ['a', 'b', 'c', 'b', 'c', 'b', 'c', 'b', 'c']);
      t.deepEqual(
        inbox.batches.map(({ attempt }) => attempt),
        [0, 1, 2, 3],
      );
    },
  },
  {
    name: 'outcomes behind a retry do not count',
    async run(t, { bus }) {
      let first = true;
      await bus.publish('single', letters('k', 'a', 'b'));
      const { inbox } = await consume(bus, { topic: 'single' }, (text) => {
        if (text === 'b') return dead();
        const now = first;
        first = false;
        return now ? again : undefined;
      });
      await inbox.count(4);
      t.is((await deadLetters(bus, 1)).length, 1);
      t.deepEqual(inbox.texts, ['a', 'b', 'a', 'b']);
    },
  },
  {
    name: 'a waiting partition holds no other partition',
    async run(t, { bus }) {
      await bus.publish('events', letters('key-1', 'stuck'));
      const { inbox } = await consume(bus, { topic: 'events' }, (text) => (text === 'stuck' ? wait : undefined));
      await inbox.seen('stuck');
      await bus.publish(
        'events',
        Array.from({ length: 20 }, (_, i) => ({ key: `key-${i + 2}`, value: `free ${i}` })),
      );
      const partition = inbox.records[0]?.partition;
      await inbox.until(() => new Set(inbox.records.map((record) => record.partition)).size >= 3, 'other partitions');
      t.deepEqual(inbox.records.filter((record) => record.partition === partition).map(textOf), ['stuck']);
    },
  },
  {
    name: 'a waiting lane holds no other lane of its partition, and keeps its own order',
    async run(t, { bus }) {
      await bus.publish('single', [...letters('a', 'a1', 'a2'), ...letters('b', 'b1')]);
      let open = false;
      const { inbox, subscription } = await consume(bus, { topic: 'single', lane: ({ key }) => key }, (text) =>
        text === 'a1' && !open ? wait : undefined,
      );
      await inbox.seen('b1');
      await bus.publish('single', [...letters('a', 'a3'), ...letters('b', 'b2', 'b3')]);
      await inbox.seen('b3');
      t.false(inbox.texts.includes('a3'));
      open = true;
      subscription.wake('a');
      await inbox.seen('a3');
      t.deepEqual(inbox.texts.filter((text) => text.startsWith('a')).slice(-3), ['a1', 'a2', 'a3']);
    },
  },
  {
    name: 'where each key is a lane, what is done behind a key that waits comes again after no restart',
    async run(t, { bus, reopen }) {
      await bus.publish('single', [...letters('a', 'a1'), ...letters('b', 'b1', 'b2'), ...letters('a', 'a2')]);
      let next = bus;
      for (const last of ['b2', 'b3', 'b4']) {
        if (last !== 'b2') await next.publish('single', letters('b', last));
        const { inbox, subscription } = await consume(next, { topic: 'single', lane: 'key' }, (text) =>
          text.startsWith('a') ? wait : undefined,
        );
        await inbox.until(() => ['a2', last].every((text) => inbox.texts.includes(text)), last);
        t.deepEqual(
          [...new Set(inbox.texts)].toSorted(),
          last === 'b2' ? ['a1', 'a2', 'b1', 'b2'] : ['a1', 'a2', last],
        );
        await subscription.close();
        next = await reopen();
      }
    },
  },
  {
    name: 'a key that waits apart holds no other key of its lane, beyond the bound of the lane, and comes again in order in batches of its own',
    async run(t, { bus }) {
      await bus.publish('single', [...letters('a', 'a1'), ...letters('b', 'b1'), ...letters('a', 'a2')]);
      let open = false;
      const { inbox, subscription } = await consume(bus, { topic: 'single', maxAhead: 3 }, (text) =>
        text === 'a1' && !open ? { ...wait, apart: true } : undefined,
      );
      await inbox.count(3);
      await bus.publish('single', [...letters('a', 'a3'), ...letters('b', 'b2', 'b3', 'b4', 'b5')]);
      await inbox.seen('b5');
      t.deepEqual(inbox.texts.slice(3), ['b2', 'b3', 'b4', 'b5']);
      open = true;
      subscription.wake();
      await inbox.count(10);
      t.deepEqual(inbox.texts.slice(7), ['a1', 'a2', 'a3']);
      for (const { apart, records } of inbox.batches) t.is(apart, open && records.every(({ key }) => key === 'a'));
    },
  },
  {
    name: 'batches hold one lane of one partition, within their bounds',
    async run(t, { bus }) {
      await bus.publish(
        'events',
        Array.from({ length: 100 }, (_, i) => ({ key: `${i % 7}`, value: String(i) })),
      );
      const { inbox } = await consume(bus, { topic: 'events', maxBatch: 3, lane: ({ key }) => key });
      await inbox.count(100);
      for (const { topic, records, lane, partition } of inbox.batches) {
        t.is(topic, 'events');
        t.true(records.length >= 1 && records.length <= 3);
        t.true(records.every((record) => record.key === lane && record.partition === partition));
      }
    },
  },
  {
    name: 'a batch stays within its bytes, and a larger record comes alone',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'x'.repeat(60), 'y'.repeat(60), 'z'.repeat(500)));
      const { inbox } = await consume(bus, { topic: 'single', maxBatchBytes: 100 });
      await inbox.count(3);
      t.deepEqual(
        inbox.batches.map(({ records }) => records.length),
        [1, 1, 1],
      );
    },
  },
  {
    name: 'wake ends the waits of every lane when none is named',
    async run(t, { bus }) {
      let open = false;
      await bus.publish('single', [...letters('a', 'a1'), ...letters('b', 'b1')]);
      const { inbox, subscription } = await consume(bus, { topic: 'single', lane: ({ key }) => key }, () =>
        open ? undefined : wait,
      );
      await inbox.count(2);
      open = true;
      await inbox.until(() => {
        subscription.wake();
        return inbox.texts.length >= 4;
      }, 'both lanes');
      t.deepEqual([...inbox.tally()].sort(), [
        ['a1', 2],
        ['b1', 2],
      ]);
    },
  },
  {
    name: 'dead goes to the dead letters with where from and why, secrets masked, and the lane moves on',
    async run(t, { bus }) {
      await bus.publish('single', [
        { key: 'k', value: 'bad', headers: { authorization: 'Bearer x', traceparent: '00' } },
      ]);
      await bus.publish('single', letters('k', 'good'));
      const { inbox } = await consume(bus, { topic: 'single', maxBatch: 1 }, (text) =>
        text === 'bad' ? dead() : undefined,
      );
      await inbox.seen('good');
      const [letter] = await deadLetters(bus, 1);
      t.like(letter, { v: 1, kind: 'message', integration_id: 'i-1', reason: 'refused', detail: 'why', attempts: 1 });
      t.deepEqual(letter?.origin, { topic: 'single', partition: 0, offset: String(inbox.records[0]?.offset) });
      t.is(letter?.headers['traceparent'], '00');
      t.is(letter?.headers['authorization'], '**********');
      t.is(Buffer.from(letter?.body_base64 ?? '', 'base64').toString(), 'bad');
      t.is(letter?.received_at, new Date(inbox.records[0]?.timestamp ?? 0).toISOString());
    },
  },
  {
    name: 'a dead letter keeps the key of its record and the body that the handler names',
    async run(t, { bus }) {
      await bus.publish('single', letters('the key', 'bad'));
      await consume(bus, { topic: 'single' }, () => dead({ body: Buffer.from('this instead') }));
      const signal = AbortSignal.timeout(15_000);
      const [record] = await first(bus.read({ topic: topics.deadLetters.name, follow: true, signal }), 1);
      t.is(record?.key, 'the key');
      const letter = deadLetterSchema.parse(JSON.parse(textOf(record ?? { value: new Uint8Array() })));
      t.is(Buffer.from(letter.body_base64, 'base64').toString(), 'this instead');
    },
  },
  {
    name: 'attempts of a dead letter count every delivery',
    async run(t, { bus }) {
      let tries = 0;
      await bus.publish('single', letters('k', 'bad'));
      await consume(bus, { topic: 'single' }, () => (tries++ < 2 ? again : dead()));
      t.is((await deadLetters(bus, 1))[0]?.attempts, 3);
    },
  },
  {
    name: 'a handler that throws a TypeError costs the record, not the consumer',
    async run(t, { bus }) {
      await bus.publish('single', letters('i-1:k', 'bad', 'next'));
      const { inbox, subscription } = await consume(bus, { topic: 'single', maxBatch: 1, maxThrows: 3 }, (text) => {
        if (text === 'bad') throw new TypeError('nothing is not a function');
        return undefined;
      });
      await inbox.seen('next');
      const [letter] = await deadLetters(bus, 1);
      t.like(letter, { kind: 'observation', integration_id: 'i-1', reason: 'handler_failed', attempts: 3 });
      t.regex(letter?.detail ?? '', /TypeError: nothing is not a function/);
      t.is(inbox.tally().get('bad'), 3);
      t.true(subscription.alive());
    },
  },
  {
    name: 'a handler that throws a few times and then works costs nothing',
    async run(t, { bus }) {
      let throws = 0;
      await bus.publish('single', letters('k', 'a', 'b'));
      const { inbox } = await consume(bus, { topic: 'single', maxBatch: 1 }, (text) => {
        if (text === 'a' && throws++ < 4) throw new Error('not yet');
        return undefined;
      });
      await inbox.seen('b');
      t.deepEqual(inbox.texts, ['a', 'a', 'a', 'a', 'a', 'b']);
      t.deepEqual(await first(bus.read({ topic: topics.deadLetters.name }), 1), []);
    },
  },
  {
    name: 'neighbours of the record that a handler throws on are handled',
    async run(t, { bus }) {
      const good = new Set<string>();
      await bus.publish('single', letters('k', 'a', 'b', 'bad', 'c', 'd'));
      const inbox = new Inbox();
      await bus.consume({
        topic: 'single',
        group: 'group',
        maxThrows: 2,
        deadLetterKind: 'command',
        handle: async ({ records }) => {
          if (records.some((record) => textOf(record) === 'bad')) throw new RangeError('this one');
          for (const record of records) good.add(textOf(record));
          inbox.ring();
          return records.map(() => ({ kind: 'done' }));
        },
      });
      await inbox.until(() => good.has('d'), 'd');
      t.deepEqual([...good], ['a', 'b', 'c', 'd']);
      const [letter] = await deadLetters(bus, 1);
      t.like(letter, { kind: 'command', reason: 'handler_failed' });
      t.is(Buffer.from(letter?.body_base64 ?? '', 'base64').toString(), 'bad');
    },
  },
  {
    name: 'an answer with the wrong number of outcomes, or an unknown one, counts as a throw',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'short', 'odd', 'good'));
      const inbox = new Inbox();
      await bus.consume({
        topic: 'single',
        group: 'group',
        maxBatch: 1,
        maxThrows: 2,
        handle: async (batch) => {
          inbox.take(batch);
          const [text] = batch.records.map(textOf);
          if (text === 'short') return [];
          return [{ kind: text === 'odd' ? ('maybe' as 'done') : 'done' }];
        },
      });
      await inbox.seen('good');
      t.deepEqual(inbox.texts, ['short', 'short', 'odd', 'odd', 'good']);
      t.deepEqual(
        (await deadLetters(bus, 2)).map(({ reason }) => reason),
        ['handler_failed', 'handler_failed'],
      );
    },
  },
  {
    name: 'a handler that rejects with nothing is a throw like another',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'a'));
      let tries = 0;
      const { inbox } = await consume(bus, { topic: 'single' }, () => {
        if (tries++ === 0) return Promise.reject(undefined as unknown as Error);
        return undefined;
      });
      await inbox.count(2);
      t.deepEqual(inbox.texts, ['a', 'a']);
    },
  },
  {
    name: 'the oldest pending record is that of the lane that waits, and none is pending when all is done',
    async run(t, { bus }) {
      let open = false;
      await bus.publish('single', letters('a', 'old'));
      const { inbox, subscription } = await consume(bus, { topic: 'single', lane: ({ key }) => key }, (text) =>
        text === 'old' && !open ? wait : undefined,
      );
      await inbox.seen('old');
      await bus.publish('single', letters('b', 'new'));
      await inbox.seen('new');
      t.is(subscription.oldestPending(), inbox.records[0]?.timestamp ?? 0);
      open = true;
      subscription.wake();
      await inbox.until(() => inbox.tally().get('old') === 2, 'old again');
      await subscription.close();
      t.is(subscription.oldestPending(), null);
      t.deepEqual(await bus.pending('single', 'group'), []);
    },
  },
];
