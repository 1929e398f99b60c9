import type { KvCase } from '../contract.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

/** Calls that are made together. */
export const turnCases: readonly KvCase[] = [
  {
    name: 'a thousand calls of one turn are all answered, each with its own result',
    run: async (t, { kv }) => {
      await Promise.all(numbers(500).map((n) => kv.state.set(`k.${2 * n}`, 'old')));
      const won = await Promise.all(numbers(1_000).map((n) => kv.state.setIfAbsent(`k.${n}`, `${n}`)));
      t.deepEqual(
        won,
        numbers(1_000).map((n) => n % 2 === 1),
      );
      const values = await Promise.all(numbers(1_000).map((n) => kv.state.get(`k.${n}`)));
      t.deepEqual(
        values,
        numbers(1_000).map((n) => (n % 2 === 1 ? `${n}` : 'old')),
      );
    },
  },
  {
    name: 'calls of one turn are carried out in their order',
    run: async (t, { kv }) => {
      const results = await Promise.all([
        kv.state.get('a'),
        kv.state.set('a', 'one'),
        kv.state.get('a'),
        kv.state.setIfAbsent('a', 'two'),
        kv.state.compareAndSet('a', 'one', 'three'),
        kv.state.get('a'),
        kv.state.compareAndDelete('a', 'three'),
        kv.state.get('a'),
        kv.state.setIfAbsent('a', 'four'),
        kv.state.delete('a'),
        kv.state.delete('a'),
        kv.state.set('a', 'five'),
        // Behind the writes of its turn; what later calls of the turn do, a list in several steps may see.
        kv.state.list('a'),
      ]);
      t.deepEqual(results, [
        null,
        undefined,
        'one',
        false,
        true,
        'three',
        true,
        null,
        true,
        true,
        false,
        undefined,
        [{ key: 'a', value: 'five' }],
      ]);
    },
  },
  {
    name: 'the last set of a turn is what stays',
    run: async (t, { kv }) => {
      await Promise.all(numbers(100).map((n) => kv.config.set('a', `${n}`)));
      t.is(await kv.config.get('a'), '99');
    },
  },
  {
    name: 'what one client wrote, another sees',
    run: async (t, store) => {
      const other = await store.second();
      await store.kv.state.set('a', 'one');
      t.is(await other.state.get('a'), 'one');
      t.true(await other.state.delete('a'));
      t.is(await store.kv.state.get('a'), null);
    },
  },
];
