import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import test from 'ava';
import { packImage, packLayer } from './pack.mjs';
import { temporaryFolder } from '../test/temporary-folder.mjs';

/** A folder with these files. */
const filled = (t, files) => {
  const place = temporaryFolder(t);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(place, dirname(path)), { recursive: true });
    writeFileSync(join(place, path), text);
  }
  return place;
};

const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');

const spec = {
  reference: 'docker.io/ranger-relay/ranger-relay:0.1.0',
  architecture: 'amd64',
  created: '2026-01-02T03:04:05Z',
  user: '65532:65532',
  folder: '/app',
  entrypoint: ['/usr/local/bin/node'],
  command: ['/app/x.mjs'],
  env: ['A=b'],
  labels: { 'org.opencontainers.image.title': 'x' },
};

/** Makes an archive of two layers; gives what is in it by path. */
const made = async (t, more = {}) => {
  const place = temporaryFolder(t);
  const layers = [
    await packLayer(place, 'system', [{ folder: filled(t, { 'lib/x': 'libraries' }) }]),
    await packLayer(place, 'app', [{ folder: filled(t, { 'app/x.mjs': 'program' }) }]),
  ];
  const out = join(place, 'x.tar');
  const documents = await packImage(place, out, { ...spec, ...more }, layers);
  const unpacked = temporaryFolder(t);
  execFileSync('tar', ['-xf', out, '-C', unpacked]);
  const files = new Map(
    readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name))
      .map((path) => [path.slice(unpacked.length + 1), readFileSync(path)]),
  );
  const json = (path) => JSON.parse(files.get(path).toString());
  const blob = (digest) => files.get(`blobs/${digest.replace(':', '/')}`);
  return { place, bytes: readFileSync(out), files, json, blob, documents, layers };
};

/** A layer as `tar` lists it: mode, owner, time and path of each entry. */
const listed = (layout, { blob }) =>
  execFileSync(
    'tar',
    ['--numeric-owner', '--full-time', '-tvf', join(layout, 'blobs', blob.digest.replace(':', '/'))],
    {
      encoding: 'utf8',
      env: { PATH: process.env.PATH, TZ: 'UTC' },
    },
  )
    .trim()
    .split('\n')
    .map((line) => line.replace(/ +\d+ 1970-01-01 00:00:00 /, ' '));

test('a layer tells the modes and the numbers of its owners, in one order, and no time', async (t) => {
  const layout = temporaryFolder(t);
  const files = filled(t, { 'b/z': '', 'b/a': '', a: '' });
  chmodSync(join(files, 'b'), 0o2755);
  chmodSync(join(files, 'b/a'), 0o755);
  const writable = filled(t, { 'data/x': '' });
  chmodSync(join(writable, 'data'), 0o700);
  const parts = [{ folder: files }, { folder: writable, owner: 65_532 }];
  t.deepEqual(listed(layout, await packLayer(layout, 'x', parts)), [
    '-rw-r--r-- 0/0 a',
    'drwxr-xr-x 0/0 b/',
    '-rwxr-xr-x 0/0 b/a',
    '-rw-r--r-- 0/0 b/z',
    'drwx------ 65532/65532 data/',
    '-rw-r--r-- 65532/65532 data/x',
  ]);
});

test('the same files give the same layer, whenever and in whatever order they were written', async (t) => {
  const layout = temporaryFolder(t);
  const [one, two] = [filled(t, { 'a/b': '1', c: '2' }), filled(t, { c: '2', 'a/b': '1' })];
  utimesSync(join(two, 'c'), 1, 1);
  const [first, second] = [
    await packLayer(layout, 'x', [{ folder: one }]),
    await packLayer(layout, 'x', [{ folder: two }]),
  ];
  t.deepEqual(first, second);
});

test('two archives of the same image are the same bytes', async (t) => {
  t.deepEqual((await made(t)).bytes, (await made(t)).bytes);
});

test('every blob is named by its hash, and nothing unfinished stays behind', async (t) => {
  const { files, place } = await made(t);
  const blobs = [...files].filter(([path]) => /^blobs\/sha256\/./.test(path));
  t.is(blobs.length, 4);
  for (const [path, content] of blobs) t.is(path, `blobs/sha256/${sha256(content)}`);
  t.deepEqual(
    readdirSync(place).filter((name) => name.endsWith('.part')),
    [],
  );
});

test('from the index the manifest is found, from it the configuration and the layers, lowest first', async (t) => {
  const { json, blob, documents, layers } = await made(t);
  const [described] = json('index.json').manifests;
  t.is(described.digest, documents.digest);
  const manifest = JSON.parse(blob(described.digest).toString());
  t.is(described.size, blob(described.digest).length);
  t.is(manifest.config.digest, documents.id);
  t.deepEqual(
    manifest.layers.map(({ digest, size }) => [digest, size]),
    layers.map(({ blob: { digest, size } }) => [digest, size]),
  );
  const config = JSON.parse(blob(manifest.config.digest).toString());
  t.deepEqual(
    config.rootfs.diff_ids,
    layers.map(({ blob: { digest } }) => digest),
  );
  t.is(config.history.length, layers.length);
  t.like(config, {
    os: 'linux',
    architecture: 'amd64',
    created: spec.created,
    config: {
      User: '65532:65532',
      WorkingDir: '/app',
      Entrypoint: ['/usr/local/bin/node'],
      Cmd: ['/app/x.mjs'],
      Env: ['A=b'],
      Labels: spec.labels,
    },
  });
});

test('containerd finds the full name in the index, older daemons in the file of their own', async (t) => {
  const { json, files } = await made(t);
  t.is(json('index.json').manifests[0].annotations['io.containerd.image.name'], spec.reference);
  t.is(json('index.json').manifests[0].annotations['org.opencontainers.image.ref.name'], '0.1.0');
  t.deepEqual(json('oci-layout'), { imageLayoutVersion: '1.0.0' });
  const [older] = json('manifest.json');
  t.deepEqual(older.RepoTags, [spec.reference]);
  for (const path of [older.Config, ...older.Layers]) t.true(files.has(path), path);
});

test('an image for the other architecture says so wherever a machine looks', async (t) => {
  const { json, blob, documents } = await made(t, { architecture: 'arm64' });
  const platform = { architecture: 'arm64', os: 'linux', variant: 'v8' };
  t.deepEqual(json('index.json').manifests[0].platform, platform);
  t.like(JSON.parse(blob(documents.id).toString()), platform);
});

test('another label makes another image of the same layers', async (t) => {
  const [one, other] = [await made(t), await made(t, { labels: {} })];
  t.not(one.documents.digest, other.documents.digest);
  t.deepEqual(
    one.layers.map(({ blob }) => blob.digest),
    other.layers.map(({ blob }) => blob.digest),
  );
});
