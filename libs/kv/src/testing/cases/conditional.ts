import type { KvCase } from '../contract.ts';

/** Writes that depend on what is there. */
export const conditionalCases: readonly KvCase[] = [
  {
    name: 'setIfAbsent writes where nothing is, and not over a live value',
    run: async (t, { kv }) => {
      t.true(await kv.state.setIfAbsent('a', 'one'));
      t.false(await kv.state.setIfAbsent('a', 'two'));
      t.is(await kv.state.get('a'), 'one');
    },
  },
  {
    name: 'of racing setIfAbsent calls exactly one wins, and its value stays',
    run: async (t, store) => {
      const other = await store.second();
      const contenders = Array.from({ length: 20 }, (_, index) => ({
        kv: index % 2 ? store.kv : other,
        own: `${index}`,
      }));
      for (let round = 0; round < 10; round++) {
        const won = await Promise.all(contenders.map(({ kv, own }) => kv.state.setIfAbsent(`race.${round}`, own)));
        t.is(won.filter(Boolean).length, 1);
        t.is(await store.kv.state.get(`race.${round}`), contenders[won.indexOf(true)]?.own ?? 'nobody');
      }
    },
  },
  {
    name: 'compareAndSet writes when the value matches',
    run: async (t, { kv }) => {
      await kv.state.set('a', 'one');
      t.true(await kv.state.compareAndSet('a', 'one', 'two'));
      t.is(await kv.state.get('a'), 'two');
    },
  },
  {
    name: 'compareAndSet leaves another value alone',
    run: async (t, { kv }) => {
      await kv.state.set('a', 'one');
      t.false(await kv.state.compareAndSet('a', 'On', 'two'));
      t.false(await kv.state.compareAndSet('a', 'ONE', 'two'));
      t.is(await kv.state.get('a'), 'one');
    },
  },
  {
    name: 'compareAndSet writes nothing where nothing is',
    run: async (t, { kv }) => {
      t.false(await kv.state.compareAndSet('a', '', 'two'));
      t.is(await kv.state.get('a'), null);
    },
  },
  {
    name: 'of racing compareAndSet calls exactly one wins',
    run: async (t, store) => {
      const other = await store.second();
      await store.kv.state.set('a', 'start');
      const won = await Promise.all(
        [store.kv, other, store.kv, other].map((kv, index) => kv.state.compareAndSet('a', 'start', `${index}`)),
      );
      t.is(won.filter(Boolean).length, 1);
      t.is(await other.state.get('a'), String(won.indexOf(true)));
    },
  },
  {
    name: 'compareAndDelete deletes the value that matches and no other',
    run: async (t, { kv }) => {
      await kv.state.set('lease', 'mine');
      t.false(await kv.state.compareAndDelete('lease', 'yours'));
      t.is(await kv.state.get('lease'), 'mine');
      t.true(await kv.state.compareAndDelete('lease', 'mine'));
      t.is(await kv.state.get('lease'), null);
      t.false(await kv.state.compareAndDelete('lease', 'mine'));
    },
  },
];
