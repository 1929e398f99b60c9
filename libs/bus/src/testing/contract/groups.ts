import { setTimeout as pause } from 'node:timers/promises';
import { seededRandom } from '@ranger-relay/runtime/testing';
import type { Outcome } from '../../port.ts';
import { consume, type ContractCase, events, Inbox, letters, stored } from './inbox.ts';

const undone = { topic: 'single', maybeSentAtTakeOver: 'undone' } as const;
const wait: Outcome = { kind: 'retry', afterMs: 60_000 };
const range = (n: number): number[] => Array.from({ length: n }, (_, i) => i);
const lane = ({ key }: { key: string }): string => key;
const spread = (n: number, prefix = 'v') => range(n).map((i) => ({ key: `key-${i % 40}`, value: `${prefix}${i}` }));

/** Cases of groups, restarts and closing. */
export const groupCases: readonly ContractCase[] = [
  {
    name: 'what was done does not come again after a restart',
    async run(t, { bus, reopen }) {
      await bus.publish('single', letters('k', 'a', 'b'));
      const { inbox, subscription } = await consume(bus, { topic: 'single' });
      await inbox.count(2);
      await subscription.close();
      const next = await reopen();
      await next.publish('single', letters('k', 'c'));
      const { inbox: after } = await consume(next, { topic: 'single' });
      await after.seen('c');
      t.deepEqual(after.texts, ['c']);
    },
  },
  {
    name: 'what was delivered and not answered comes again after a crash',
    async run(t, { bus, reopen }) {
      await bus.publish('single', letters('k', 'a', 'b', 'c'));
      const { inbox, subscription } = await consume(bus, { topic: 'single', maxBatch: 1 }, (text) =>
        text === 'b' ? new Promise<undefined>(() => undefined) : undefined,
      );
      await inbox.seen('b');
      await subscription.close(0);
      const { inbox: after } = await consume(await reopen(), { topic: 'single' });
      await after.seen('c');
      t.deepEqual(after.texts.slice(-2), ['b', 'c']);
    },
  },
  {
    name: 'the commit stays behind the slowest lane: its records survive a restart',
    async run(t, { bus, reopen }) {
      await bus.publish('single', [...letters('a', 'a1'), ...letters('b', 'b1', 'b2'), ...letters('a', 'a2')]);
      const { inbox, subscription } = await consume(bus, { topic: 'single', lane }, (text) =>
        text.startsWith('a') ? wait : undefined,
      );
      await inbox.seen('b2');
      await subscription.close();
      const { inbox: after } = await consume(await reopen(), { topic: 'single', lane });
      await after.seen('a2');
      t.deepEqual(
        after.texts.filter((text) => text.startsWith('a')),
        ['a1', 'a2'],
      );
    },
  },
  {
    name: 'what is done and whose commit still waits holds no later record of its lane, and comes again after a crash',
    async run(t, { bus, reopen }) {
      await bus.publish('single', letters('k', 'a', 'b', 'c'));
      const logged = Promise.withResolvers<void>();
      const { inbox, subscription } = await consume(bus, { topic: 'single', maxBatch: 1 }, (text) => {
        if (text === 'c') return undefined;
        return { kind: 'done', after: text === 'a' ? logged.promise : new Promise<void>(() => undefined) };
      });
      await inbox.seen('c');
      logged.resolve();
      await subscription.close();
      const { inbox: after } = await consume(await reopen(), { topic: 'single', maxBatch: 1 });
      await after.seen('c');
      t.deepEqual(after.texts, ['b', 'c']);
    },
  },
  {
    name: 'what was announced and not answered is maybe sent after a crash, what was not announced is not',
    async run(t, { bus, reopen }) {
      await bus.publish('single', letters('k', 'a', 'b', 'c'));
      const { inbox, subscription } = await consume(bus, { topic: 'single', maxBatch: 1 }, async (text, batch) => {
        if (text === 'c') return wait;
        await batch.announce();
        return text === 'b' ? new Promise<undefined>(() => undefined) : undefined;
      });
      await inbox.seen('b');
      await subscription.close(0);
      const { inbox: after } = await consume(await reopen(), { topic: 'single', maxBatch: 1 });
      await after.seen('c');
      t.deepEqual(
        after.batches.map(({ maybeSent }, n) => [after.texts[n], maybeSent[0]]),
        [
          ['b', true],
          ['c', false],
        ],
      );
    },
  },
  {
    name: 'a graceful end leaves as maybe sent what its handler left so, and nothing else',
    async run(t, { bus, reopen }) {
      await bus.publish('single', [...letters('a', 'a1'), ...letters('b', 'b1'), ...letters('c', 'c1')]);
      const { inbox, subscription } = await consume(bus, { topic: 'single', lane }, async (text, batch) => {
        await batch.announce();
        return { ...wait, maybeSent: text === 'b1' };
      });
      await inbox.seen('c1');
      await subscription.close();
      const { inbox: after } = await consume(await reopen(), { topic: 'single', lane });
      await after.count(3);
      const marks = new Map(after.batches.map(({ maybeSent }, n) => [after.texts[n], maybeSent[0]]));
      t.is(marks.get('b1'), true);
      t.is(marks.get('c1'), false);
    },
  },
  {
    name: 'what a handler left as maybe sent is so when it is delivered again',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'a', 'b'));
      const { inbox } = await consume(bus, { topic: 'single' }, (text, { attempt }) =>
        attempt === 0 ? { kind: 'retry', afterMs: 0, maybeSent: text === 'b' } : undefined,
      );
      await inbox.count(4);
      t.deepEqual(
        inbox.batches.map(({ maybeSent }) => maybeSent),
        [
          [false, false],
          [false, true],
        ],
      );
    },
  },
  {
    name: 'without announcements all that is undone is maybe sent at a take-over, and nothing that comes later',
    async run(t, { bus, reopen }) {
      await bus.publish('single', letters('k', 'a'));
      const { inbox, subscription } = await consume(bus, undone, () => wait);
      await inbox.seen('a');
      await subscription.close();
      const next = await reopen();
      const { inbox: after } = await consume(next, undone);
      await after.seen('a');
      await next.publish('single', letters('k', 'b'));
      await after.seen('b');
      t.deepEqual(
        after.batches.map(({ maybeSent }) => maybeSent),
        [[true], [false]],
      );
    },
  },
  {
    name: 'two groups each get everything',
    async run(t, { bus }) {
      await bus.publish('events', spread(50));
      const one = await consume(bus, { topic: 'events', group: 'one' });
      const two = await consume(bus, { topic: 'events', group: 'two' });
      await one.inbox.count(50);
      await two.inbox.count(50);
      t.is(one.inbox.tally().size, 50);
      t.is(two.inbox.tally().size, 50);
    },
  },
  {
    name: 'a group that starts at the latest record does not get what was there',
    async run(t, { bus, reopen }) {
      await bus.publish('single', letters('k', 'old'));
      const { inbox, subscription } = await consume(bus, { topic: 'single', from: 'latest' });
      await bus.publish('single', letters('k', 'new'));
      await inbox.seen('new');
      t.deepEqual(inbox.texts, ['new']);
      await subscription.close();
      await bus.publish('single', letters('k', 'meanwhile'));
      const { inbox: after } = await consume(await reopen(), { topic: 'single', from: 'latest' });
      await after.seen('meanwhile');
      t.deepEqual(after.texts, ['meanwhile']);
    },
  },
  {
    name: 'two members of a group share the partitions and the records',
    async run(t, { bus }) {
      const one = await consume(bus, { topic: 'events' });
      const two = await consume(bus, { topic: 'events' });
      await bus.publish('events', spread(200));
      const total = (): number => one.inbox.texts.length + two.inbox.texts.length;
      await Promise.race([one.inbox.until(() => total() >= 200, 'all'), two.inbox.until(() => total() >= 200, 'all')]);
      const assigned = [...one.subscription.assigned(), ...two.subscription.assigned()].sort();
      t.deepEqual(assigned, range(events.partitions));
      t.true(one.inbox.texts.length > 0 && two.inbox.texts.length > 0);
      t.is(new Set([...one.inbox.texts, ...two.inbox.texts]).size, 200);
    },
  },
  {
    name: 'a member that leaves hands its partitions over: nothing is lost, nothing that was done comes again',
    async run(t, { bus }) {
      const one = await consume(bus, { topic: 'events' });
      const two = await consume(bus, { topic: 'events' });
      await bus.publish('events', spread(100, 'before '));
      const total = (): number => one.inbox.texts.length + two.inbox.texts.length;
      await Promise.race([one.inbox.until(() => total() >= 100, 'all'), two.inbox.until(() => total() >= 100, 'all')]);
      await one.subscription.close();
      t.deepEqual(one.subscription.assigned(), []);
      await bus.publish('events', spread(100, 'after '));
      await two.inbox.until(() => total() >= 200, 'the rest');
      t.deepEqual([...two.subscription.assigned()].sort(), range(events.partitions));
      t.is(new Set([...one.inbox.texts, ...two.inbox.texts]).size, 200);
      t.is(total(), 200);
    },
  },
  {
    name: 'members that come and go under load lose nothing and keep the order of each key',
    async run(t, { bus }) {
      const order = new Map<string, number[]>();
      const bell = new Inbox();
      const decide = (text: string): undefined => {
        const [key = '', n] = text.split(' ');
        order.set(key, [...(order.get(key) ?? []), Number(n)]);
        bell.ring();
      };
      const member = () => consume(bus, { topic: 'events', maxBatch: 5 }, decide);
      await member();
      for (let round = 0; round < 5; round += 1) {
        const guest = await member();
        await bus.publish(
          'events',
          range(40).map((i) => ({ key: `k${i % 8}`, value: `k${i % 8} ${round * 5 + Math.trunc(i / 8)}` })),
        );
        await guest.subscription.close();
      }
      const complete = (): boolean =>
        order.size === 8 && [...order.values()].every((seen) => new Set(seen).size === 25);
      await bell.until(complete, 'all 200');
      for (const seen of order.values()) t.deepEqual([...new Set(seen)], range(25));
    },
  },
  {
    name: 'members that come and go all the time, with handlers that take their time: nothing twice, nothing lost, each key in order',
    async run(t, { bus, beside }, { churnMs = 3_000, consumesBeside }) {
      const published = new Map<string, number>();
      const seen = new Map<string, number[]>();
      const random = seededRandom(7);
      const decide = async (text: string): Promise<undefined> => {
        const [key = '', n] = text.split(' ');
        await pause(5 + random.next() * 60);
        seen.set(key, [...(seen.get(key) ?? []), Number(n)]);
        return undefined;
      };
      const other = consumesBeside ? await beside() : bus;
      const join = () => consume(random.next() < 0.5 ? bus : other, { topic: 'events', lane, maxBatch: 5 }, decide);
      const end = performance.now() + churnMs;
      const load = async (): Promise<void> => {
        while (performance.now() < end) {
          const keys = range(8).map((i) => `k${i}`);
          await bus.publish(
            'events',
            keys.map((key) => ({ key, value: `${key} ${published.get(key) ?? 0}` })),
          );
          for (const key of keys) published.set(key, (published.get(key) ?? 0) + 1);
          await pause(60);
        }
      };
      const churn = async (): Promise<void> => {
        while (performance.now() < end) {
          const guest = await join();
          await pause(random.next() * 900);
          await guest.subscription.close();
        }
      };
      const last = await join();
      await Promise.all([load(), churn(), churn()]);
      const total = (): number => [...seen.values()].reduce((sum, { length }) => sum + length, 0);
      const wanted = [...published.values()].reduce((sum, n) => sum + n, 0);
      await last.inbox.until(() => total() >= wanted, `all ${wanted}`);
      for (const [key, n] of published) t.deepEqual(seen.get(key), range(n), key);
    },
  },
  {
    name: 'a handler that hangs delays no other lane and no other partition',
    async run(t, { bus }) {
      const gate = Promise.withResolvers<undefined>();
      const rounds = 20;
      const { inbox } = await consume(bus, { topic: 'events', lane, maxBatch: 5 }, (text) =>
        text === 'stuck' ? gate.promise : undefined,
      );
      await bus.publish('events', letters('stuck', 'stuck'));
      await inbox.seen('stuck');
      for (let round = 0; round < rounds; round += 1) {
        await bus.publish('events', spread(40, `${round} `));
        await inbox.count(1 + 40 * (round + 1));
      }
      t.deepEqual(
        inbox.texts.filter((text) => text === 'stuck'),
        ['stuck'],
      );
      gate.resolve(undefined);
    },
  },
  {
    name: 'a partition moves only after the running handler of its old member has ended',
    async run(t, { bus }) {
      const gate = Promise.withResolvers<undefined>();
      await bus.publish('single', letters('k', 'a'));
      const one = await consume(bus, { topic: 'single' }, () => gate.promise);
      await one.inbox.seen('a');
      const two = await consume(bus, { topic: 'single' });
      const left = one.subscription.close();
      t.deepEqual(two.inbox.texts, []);
      gate.resolve(undefined);
      await left;
      await bus.publish('single', letters('k', 'b'));
      await two.inbox.seen('b');
      t.deepEqual(two.inbox.texts, ['b']);
    },
  },
  {
    name: 'closing waits for the running handler, and what it answers counts',
    async run(t, { bus, reopen }) {
      const gate = Promise.withResolvers<undefined>();
      await bus.publish('single', letters('k', 'a'));
      const { inbox, subscription } = await consume(bus, { topic: 'single' }, () => gate.promise);
      await inbox.seen('a');
      let closed = false;
      const closing = subscription.close().then(() => (closed = true));
      t.false(closed);
      t.false(subscription.ready());
      gate.resolve(undefined);
      await closing;
      const next = await reopen();
      t.deepEqual(await next.pending('single', 'group'), []);
    },
  },
  {
    name: 'closing aborts the signal of running batches',
    async run(t, { bus }) {
      const aborted = Promise.withResolvers<void>();
      await bus.publish('single', letters('k', 'a'));
      const { inbox, subscription } = await consume(bus, { topic: 'single' }, async (_, { signal }) => {
        signal.addEventListener('abort', () => aborted.resolve());
        await aborted.promise;
        throw signal.reason;
      });
      await inbox.seen('a');
      t.false(inbox.batches[0]?.signal.aborted);
      await subscription.close();
      t.true(inbox.batches[0]?.signal.aborted);
      t.is((await bus.pending('single', 'group')).length, 1);
    },
  },
  {
    name: 'a handler that ends after the deadline of closing no longer counts',
    async run(t, { bus }) {
      const gate = Promise.withResolvers<undefined>();
      await bus.publish('single', letters('k', 'a'));
      const { inbox, subscription } = await consume(bus, { topic: 'single' }, () => gate.promise);
      await inbox.seen('a');
      await subscription.close(1);
      const { inbox: after } = await consume(bus, { topic: 'single' });
      await after.seen('a');
      gate.resolve(undefined);
      t.deepEqual(after.texts, ['a']);
    },
  },
  {
    name: 'a handler can publish',
    async run(t, { bus }) {
      await bus.publish('single', letters('k', 'a', 'b'));
      const { inbox } = await consume(bus, { topic: 'events' });
      await consume(bus, { topic: 'single' }, async (text) => {
        await bus.publish('events', letters('k', `from ${text}`));
        return undefined;
      });
      await inbox.count(2);
      t.deepEqual(inbox.texts, ['from a', 'from b']);
    },
  },
  {
    name: 'a closed bus is not ready, refuses, and has ended its subscriptions',
    async run(t, { bus }) {
      const { subscription } = await consume(bus, { topic: 'single' });
      t.true(bus.ready());
      t.deepEqual(bus.topicProblems(), []);
      t.true(subscription.ready());
      t.true(subscription.alive());
      await bus.close();
      t.false(bus.ready());
      t.deepEqual(subscription.assigned(), []);
      await t.throwsAsync(bus.publish('single', letters('k', 'late')));
    },
  },
  {
    name: 'what another client publishes reaches a consumer, and the other way round',
    async run(t, { bus, beside }) {
      const other = await beside();
      const { inbox } = await consume(bus, { topic: 'single' });
      await other.publish('single', letters('k', 'from beside'));
      await inbox.seen('from beside');
      await bus.publish('single', letters('k', 'from here'));
      t.deepEqual(await stored(other, 'single'), ['from beside', 'from here']);
    },
  },
];
