import type { KvCase } from '../contract.ts';

const mebibyte = 1_048_576;

/** Values, keys, spaces, lists. */
export const plainCases: readonly KvCase[] = [
  {
    name: 'a key without a value reads null',
    run: async (t, { kv }) => {
      t.is(await kv.state.get('nothing'), null);
    },
  },
  {
    name: 'get returns what set stored',
    run: async (t, { kv }) => {
      await kv.state.set('a', 'one');
      t.is(await kv.state.get('a'), 'one');
    },
  },
  {
    name: 'set replaces an older value',
    run: async (t, { kv }) => {
      await kv.state.set('a', 'one');
      await kv.state.set('a', 'two');
      t.is(await kv.state.get('a'), 'two');
    },
  },
  {
    name: 'an empty value is a value',
    run: async (t, { kv }) => {
      await kv.state.set('a', '');
      t.is(await kv.state.get('a'), '');
      t.false(await kv.state.setIfAbsent('a', 'other'));
    },
  },
  {
    name: 'delete tells whether there was a value, and takes it away',
    run: async (t, { kv }) => {
      await kv.state.set('a', 'one');
      t.true(await kv.state.delete('a'));
      t.is(await kv.state.get('a'), null);
      t.false(await kv.state.delete('a'));
    },
  },
  {
    name: 'the spaces do not mix',
    run: async (t, { kv }) => {
      await kv.state.set('a', 'of state');
      t.is(await kv.config.get('a'), null);
      await kv.config.set('a', 'of config');
      t.is(await kv.state.get('a'), 'of state');
      t.true(await kv.config.delete('a'));
      t.is(await kv.state.get('a'), 'of state');
      t.deepEqual(await kv.config.list(''), []);
    },
  },
  {
    name: 'values keep every character, also NUL, line ends and those beyond 16 bits',
    run: async (t, { kv }) => {
      const value = 'für 北 🛰️ "quoted" \\ \0 \r\n \u2028 {"json":[1,2]}';
      await kv.state.set('a', value);
      t.is(await kv.state.get('a'), value);
      t.true(await kv.state.compareAndSet('a', value, 'plain'));
    },
  },
  {
    name: 'a value of one MiB comes back whole',
    run: async (t, { kv }) => {
      const value = 'né'.repeat(mebibyte / 3);
      t.is(Buffer.byteLength(value), mebibyte - 1);
      await kv.state.set('a', value);
      t.true((await kv.state.get('a')) === value);
    },
  },
  {
    name: 'keys with colons, dots, spaces and glob characters are different keys',
    run: async (t, { kv }) => {
      const keys = ['a:b', 'a.b', 'a b', 'a*b', 'a?b', 'a%b', 'a_b', 'a[b]', 'A.B', 'ä.b', 'a\\b'];
      await Promise.all(keys.map((key) => kv.state.set(key, `value of ${key}`)));
      for (const key of keys) t.is(await kv.state.get(key), `value of ${key}`);
    },
  },
  {
    name: 'list gives the entries of a prefix, sorted by key',
    run: async (t, { kv }) => {
      const keys = ['event.2', 'event.10', 'events', 'even', 'event.1', 'eventually', 'evenu'];
      await Promise.all(keys.map((key) => kv.state.set(key, key.toUpperCase())));
      t.deepEqual(await kv.state.list('event.'), [
        { key: 'event.1', value: 'EVENT.1' },
        { key: 'event.10', value: 'EVENT.10' },
        { key: 'event.2', value: 'EVENT.2' },
      ]);
      t.deepEqual(await kv.state.list('nothing'), []);
    },
  },
  {
    name: 'list of the empty prefix gives every entry of the space',
    run: async (t, { kv }) => {
      await Promise.all(['b', 'a', '\u{10FFFF}'].map((key) => kv.config.set(key, '1')));
      t.deepEqual(
        (await kv.config.list('')).map(({ key }) => key),
        ['a', 'b', '\u{10FFFF}'],
      );
    },
  },
  {
    name: 'a prefix is taken literally, also % _ * ? [ and \\',
    run: async (t, { kv }) => {
      const prefixes = ['a%', 'a_', 'a*', 'a?', 'a[b]', 'a\\'];
      await Promise.all(
        [...prefixes.map((prefix) => `${prefix}1`), 'axx1', 'ab1'].map((key) => kv.state.set(key, '1')),
      );
      for (const prefix of prefixes)
        t.deepEqual(
          (await kv.state.list(prefix)).map(({ key }) => key),
          [`${prefix}1`],
        );
    },
  },
];
