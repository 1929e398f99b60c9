import type { KvCase } from '../contract.ts';

const ttlMs = 1_000;

/** Effect of a time to live. */
export const expiryCases: readonly KvCase[] = [
  {
    name: 'a value with a TTL is there before, and gone after it',
    run: async (t, { kv, advance }) => {
      await kv.state.set('a', 'one', { ttlMs });
      t.is(await kv.state.get('a'), 'one');
      await advance(ttlMs);
      t.is(await kv.state.get('a'), null);
    },
  },
  {
    name: 'a jump of the clock ends no entry and lengthens none, in this process and the next',
    run: async (t, { kv, advance, jump, reopen }) => {
      if (!jump) return void t.pass();
      const dayMs = 86_400_000;
      await kv.state.set('mark', 'one', { ttlMs: dayMs });
      for (const days of [30, -60]) {
        jump(days * dayMs);
        t.is(await kv.state.get('mark'), 'one');
        t.false(await kv.state.setIfAbsent('mark', 'two'));
      }
      await advance(60_000);
      const next = await reopen();
      t.is(await next.state.get('mark'), 'one');
      await advance(dayMs - 60_000);
      t.is(await next.state.get('mark'), null);
    },
  },
  {
    name: 'a value without a TTL stays',
    run: async (t, { kv, advance }) => {
      await kv.state.set('a', 'one');
      await advance(2 * ttlMs);
      t.is(await kv.state.get('a'), 'one');
    },
  },
  {
    name: 'set without a TTL clears an older one',
    run: async (t, { kv, advance }) => {
      await kv.state.set('a', 'one', { ttlMs });
      await kv.state.set('a', 'two');
      await advance(2 * ttlMs);
      t.is(await kv.state.get('a'), 'two');
    },
  },
  {
    name: 'set with a longer TTL replaces an older one',
    run: async (t, { kv, advance }) => {
      await kv.state.set('a', 'one', { ttlMs });
      await kv.state.set('a', 'two', { ttlMs: 60 * ttlMs });
      await advance(2 * ttlMs);
      t.is(await kv.state.get('a'), 'two');
    },
  },
  {
    name: 'an expired entry is not listed and not there to delete',
    run: async (t, { kv, advance }) => {
      await kv.state.set('a.short', 'one', { ttlMs });
      await kv.state.set('a.long', 'two', { ttlMs: 60 * ttlMs });
      await advance(ttlMs);
      t.deepEqual(await kv.state.list('a.'), [{ key: 'a.long', value: 'two' }]);
      t.false(await kv.state.delete('a.short'));
    },
  },
  {
    name: 'setIfAbsent writes over an expired value, with its own TTL',
    run: async (t, { kv, advance }) => {
      await kv.state.set('a', 'one', { ttlMs });
      await advance(ttlMs);
      t.true(await kv.state.setIfAbsent('a', 'two', { ttlMs }));
      t.is(await kv.state.get('a'), 'two');
      await advance(ttlMs);
      t.is(await kv.state.get('a'), null);
    },
  },
  {
    name: 'a refused setIfAbsent leaves value and TTL as they were',
    run: async (t, { kv, advance }) => {
      await kv.state.set('a', 'one', { ttlMs });
      t.false(await kv.state.setIfAbsent('a', 'two', { ttlMs: 60 * ttlMs }));
      t.is(await kv.state.get('a'), 'one');
      await advance(ttlMs);
      t.is(await kv.state.get('a'), null);
    },
  },
  {
    name: 'compareAndSet and compareAndDelete do not match an expired value',
    run: async (t, { kv, advance }) => {
      await kv.state.set('a', 'one', { ttlMs });
      await advance(ttlMs);
      t.false(await kv.state.compareAndSet('a', 'one', 'two'));
      t.false(await kv.state.compareAndDelete('a', 'one'));
      t.is(await kv.state.get('a'), null);
    },
  },
  {
    name: 'compareAndSet gives the TTL of its own call',
    run: async (t, { kv, advance }) => {
      await kv.state.set('lease', 'mine', { ttlMs });
      t.true(await kv.state.compareAndSet('lease', 'mine', 'mine', { ttlMs: 60 * ttlMs }));
      await kv.state.set('kept', 'x', { ttlMs });
      t.true(await kv.state.compareAndSet('kept', 'x', 'y'));
      await advance(2 * ttlMs);
      t.is(await kv.state.get('lease'), 'mine');
      t.is(await kv.state.get('kept'), 'y');
    },
  },
];
