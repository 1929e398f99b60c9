import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { unpackTar } from 'modern-tar';
import { writeArchive } from './archive.mjs';
import { storeBlob } from './blobs.mjs';
import { contentOf } from './content.mjs';
import { documentsOf } from './oci.mjs';
import { tarOf } from './tar.mjs';

const folder = (t) => {
  const place = mkdtempSync(join(tmpdir(), 'image-archive-'));
  t.teardown(() => rmSync(place, { recursive: true, force: true }));
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
  const place = folder(t);
  const layer = async (of, text) => ({
    of,
    blob: await storeBlob(place, tarOf([{ path: of, mode: 0o444, content: contentOf(text) }]), of),
  });
  const layers = [await layer('system', 'libraries'), await layer('app', 'program')];
  const documents = documentsOf({ ...spec, ...more }, layers);
  const out = join(place, 'x.tar');
  await writeArchive(
    out,
    spec.reference,
    documents,
    layers.map(({ blob }) => blob),
  );
  const bytes = readFileSync(out);
  const files = new Map((await unpackTar(bytes)).map(({ header, data }) => [header.name, Buffer.from(data ?? [])]));
  const json = (path) => JSON.parse(files.get(path).toString());
  const blob = (digest) => files.get(`blobs/${digest.replace(':', '/')}`);
  return { place, bytes, files, json, blob, documents, layers };
};

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
