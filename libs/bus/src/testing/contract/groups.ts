import type { Outcome } from '../../port.ts';
import { consume, type ContractCase, events, Inbox, letters, stored } from './inbox.ts';

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
