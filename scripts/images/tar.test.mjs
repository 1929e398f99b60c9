import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { unpackTar } from 'modern-tar';
import { contentOf } from './content.mjs';
import { tarOf, withFolders } from './tar.mjs';

const read = (archive) => unpackTar(archive, { strict: true });

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
    const archive = await new Response(tarOf(entries)).bytes();
    t.deepEqual(
      (await read(archive)).map(({ header, data }) => [header.name, [...data]]),
      all.map(({ path, bytes }) => [path, [...bytes]]).sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    t.deepEqual(await new Response(tarOf(entries.toReversed())).bytes(), archive);
  },
);

test('an entry tells its mode and the number of its owner, and neither a time nor a name', async (t) => {
  const entries = [{ path: 'data', mode: 0o1777, owner: 65_532 }, file('app', 'x')];
  const [app, data] = await read(tarOf(entries));
  const unsaid = { mtime: new Date(0), uname: '', gname: '' };
  t.like(app.header, { ...unsaid, name: 'app', type: 'file', mode: 0o644, uid: 0, gid: 0 });
  t.like(data.header, { ...unsaid, name: 'data/', type: 'directory', mode: 0o1777, uid: 65_532, gid: 65_532 });
  t.deepEqual([String(Buffer.from(app.data)), data.header.size], ['x', 0]);
});

test('every folder above an entry is there once, before it, and one that is given keeps its mode', async (t) => {
  const entries = withFolders([file('a/b/c'), file('a/b/d'), { path: 'a', mode: 0o700 }]);
  const told = (await read(tarOf(entries))).map(({ header: { name, mode } }) => [name, mode]);
  t.deepEqual(told, [
    ['a/', 0o700],
    ['a/b/', 0o755],
    ['a/b/c', 0o644],
    ['a/b/d', 0o644],
  ]);
});

test('two entries of one path are refused', (t) => {
  t.throws(() => tarOf([file('a'), file('a')]), { message: /a would be in the archive twice/ });
});

test('a content that is not as long as it said fails the archive', async (t) => {
  const short = { path: 'a', mode: 0o644, content: { size: 3, read: () => [Buffer.from('ab')] } };
  await t.throwsAsync(read(tarOf([short])), { message: /Size mismatch for "a"/ });
});
