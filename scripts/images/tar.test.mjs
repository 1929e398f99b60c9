import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { contentOf } from './content.mjs';
import { tarOf, withFolders } from './tar.mjs';
import { gathered, readTar } from './test/read-tar.mjs';

const file = (path, text = '') => ({ path, mode: 0o644, content: contentOf(text) });

const part = fc.stringMatching(/^[a-zA-Z\d@+_.-]{1,30}$/).filter((text) => !/^\.+$/.test(text));
const path = fc.array(part, { minLength: 1, maxLength: 6 }).map((parts) => parts.join('/'));
const files = fc.uniqueArray(fc.record({ path, bytes: fc.uint8Array({ maxLength: 1_500 }) }), {
  selector: ({ path }) => path,
  maxLength: 12,
});

testProp(
  'what goes into an archive comes out of it, in one order, whatever order it came in',
  [files],
  async (t, all) => {
    const entries = all.map(({ path, bytes }) => ({ path, mode: 0o444, content: contentOf(bytes) }));
    const archive = await gathered(tarOf(entries));
    t.deepEqual(
      readTar(archive).map(({ path, content }) => [path, [...content]]),
      all.map(({ path, bytes }) => [path, [...bytes]]).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    t.deepEqual(await gathered(tarOf(entries.toReversed())), archive);
  },
);

test('an entry tells its mode and the number of its owner, and neither a time nor a name', async (t) => {
  const entries = [{ path: 'data', mode: 0o1777, owner: 65_532 }, file('app', 'x')];
  const [app, data] = readTar(await gathered(tarOf(entries)));
  const unsaid = { modified: 0, names: '' };
  t.like(app, { ...unsaid, path: 'app', type: '0', mode: 0o644, user: 0, group: 0 });
  t.like(data, { ...unsaid, path: 'data/', type: '5', mode: 0o1777, user: 65_532, group: 65_532 });
  t.deepEqual([app.content.toString(), data.content.length], ['x', 0]);
});

test('every folder above an entry is there once, before it, and one that is given keeps its mode', async (t) => {
  const entries = withFolders([file('a/b/c'), file('a/b/d'), { path: 'a', mode: 0o700 }]);
  const told = readTar(await gathered(tarOf(entries))).map(({ path, mode }) => [path, mode]);
  t.deepEqual(told, [
    ['a/', 0o700],
    ['a/b/', 0o755],
    ['a/b/c', 0o644],
    ['a/b/d', 0o644],
  ]);
});

for (const [what, entries, says] of [
  ['two entries of one path', [file('a'), file('a')], /a would be in the archive twice/],
  ['a name that is longer than its field', [file(`a/${'b'.repeat(101)}`)], /too long/],
  ['a path that is longer than both fields', [file(`${'a/'.repeat(130)}b`)], /too long/],
  ['a name outside ASCII', [file('ä')], /not plain ASCII/],
  [
    'a content that is not as long as it said',
    [{ path: 'a', mode: 0o644, content: { size: 3, read: () => [Buffer.from('ab')] } }],
    /a has 2 bytes and said 3/,
  ],
])
  test(`is refused: ${what}`, async (t) => {
    await t.throwsAsync(gathered(tarOf(entries)), { message: says });
  });

test('a path of the greatest length that fits comes out whole', async (t) => {
  const long = `${'a'.repeat(155)}/${'b'.repeat(100)}`;
  t.deepEqual(
    readTar(await gathered(tarOf([file(long)]))).map(({ path }) => path),
    [long],
  );
});
