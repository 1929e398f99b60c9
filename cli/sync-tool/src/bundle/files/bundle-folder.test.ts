import test from 'ava';
import { once } from 'node:events';
import { chmod, mkdir, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readBundle } from '../read/read-bundle.ts';
import { reasonOf } from './read-lines.ts';
import { temporaryFolder } from '../test/folder.ts';
import { bundleHarness, harnessAt, hasProblem, type ManifestJson } from '../test/harness.ts';

test('a bundle path that does not exist is refused', async (t) => {
  const harness = harnessAt(join(await temporaryFolder(t), 'gone'));
  await hasProblem(
    t,
    harness,
    'manifest.json:1',
    /the bundle ".*gone" is missing; name the folder that holds manifest\.json/,
  );
});

test('a bundle path that is a file is refused', async (t) => {
  const path = join(await temporaryFolder(t), 'file');
  await writeFile(path, '{}');
  await hasProblem(t, harnessAt(path), 'manifest.json:1', /is not a folder/);
  await hasProblem(t, harnessAt(join(path, 'below')), 'manifest.json:1', /is missing/);
});

test('a folder without a manifest is refused', async (t) => {
  await hasProblem(t, harnessAt(await temporaryFolder(t)), 'manifest.json:1', /manifest\.json is missing/);
});

test('a manifest that is a folder is refused', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'manifest.json'));
  await hasProblem(t, harnessAt(folder), 'manifest.json:1', /is a folder or device/);
});

test('a manifest that is a device is refused without opening it', async (t) => {
  const folder = await temporaryFolder(t);
  await symlink('/dev/zero', join(folder, 'manifest.json'));
  await hasProblem(t, harnessAt(folder), 'manifest.json:1', /leaves the bundle/);
});

test('a bundle that is mounted from a ConfigMap, links to a folder of its own that nobody may write to, is read', async (t) => {
  const { folder } = await bundleHarness(t);
  const [mount, data] = [await temporaryFolder(t), '..2026_01_31_14_03_11.123456789'];
  await rename(folder, join(mount, data));
  await symlink(data, join(mount, '..data'));
  for (const name of await readdir(join(mount, data))) await symlink(join('..data', name), join(mount, name));
  await chmod(join(mount, data), 0o555);
  await chmod(mount, 0o555);
  t.teardown(() => Promise.all([chmod(mount, 0o755), chmod(join(mount, data), 0o755)]));
  const bundle = await readBundle(mount);
  t.true(bundle.employees.length > 0);
  t.is(bundle.manifest.path, mount);
});

test('a manifest that is a link leaving the bundle is refused', async (t) => {
  const harness = await bundleHarness(t);
  const outside = join(await temporaryFolder(t), 'manifest.json');
  await rename(join(harness.folder, 'manifest.json'), outside);
  await symlink(outside, join(harness.folder, 'manifest.json'));
  await hasProblem(t, harness, 'manifest.json:1', /is a link that leaves the bundle/);
});

test('a listed file that is a link leaving the bundle is refused, also through a folder', async (t) => {
  const harness = await bundleHarness(t, {
    manifest: (m) => {
      for (const file of m.files) if (file['kind'] === 'teams') file['path'] = 'out/teams.jsonl';
      return m;
    },
  });
  const outside = await temporaryFolder(t);
  await rename(join(harness.folder, 'teams.jsonl'), join(outside, 'teams.jsonl'));
  await rename(join(harness.folder, 'stations.jsonl'), join(outside, 'stations.jsonl'));
  await symlink(join(outside, 'stations.jsonl'), join(harness.folder, 'stations.jsonl'));
  await symlink(outside, join(harness.folder, 'out'));
  const problems = await harness.problems();
  t.is(problems.length, 2);
  t.regex(problems.join('\n'), /manifest\.json:\d+: stations\.jsonl is a link that leaves the bundle/);
  t.regex(problems.join('\n'), /manifest\.json:\d+: out\/teams\.jsonl is a link that leaves the bundle/);
});

test('links and folders inside the bundle are fine, and so is a bundle that is a link', async (t) => {
  const harness = await bundleHarness(t, {
    manifest: (m) => {
      for (const file of m.files) if (file['kind'] === 'teams') file['path'] = 'data/teams.jsonl';
      return m;
    },
  });
  await mkdir(join(harness.folder, 'data'));
  await rename(join(harness.folder, 'teams.jsonl'), join(harness.folder, 'data/teams.jsonl'));
  await rename(join(harness.folder, 'stations.jsonl'), join(harness.folder, 'data/other'));
  await symlink('data/other', join(harness.folder, 'stations.jsonl'));
  const link = join(await temporaryFolder(t), 'link');
  await symlink(harness.folder, link);
  t.is((await harnessAt(link).read()).stations.length, 1);
});

test('a listed file that is missing, dangling or a folder is refused', async (t) => {
  const harness = await bundleHarness(t);
  await rm(join(harness.folder, 'stations.jsonl'));
  await rm(join(harness.folder, 'teams.jsonl'));
  await rm(join(harness.folder, 'patrols.jsonl'));
  await symlink('nowhere', join(harness.folder, 'teams.jsonl'));
  await mkdir(join(harness.folder, 'patrols.jsonl'));
  const problems = (await harness.problems()).join('\n');
  t.regex(problems, /manifest\.json:\d+: stations\.jsonl is missing/);
  t.regex(problems, /manifest\.json:\d+: teams\.jsonl is missing/);
  t.regex(problems, /manifest\.json:\d+: patrols\.jsonl is a folder or device/);
});

test('a file without permission to read is refused, but for root, whom permissions do not bind', async (t) => {
  const harness = await bundleHarness(t);
  await chmod(join(harness.folder, 'stations.jsonl'), 0);
  if (process.getuid?.() === 0) await t.notThrowsAsync(readBundle(harness.folder));
  else t.regex((await harness.problems()).join(), /stations\.jsonl cannot be read: no permission/);
});

test('a socket is refused without waiting for who is behind it', async (t) => {
  const harness = await bundleHarness(t);
  await rm(join(harness.folder, 'stations.jsonl'));
  const server = createServer().listen(join(harness.folder, 'stations.jsonl'));
  t.teardown(() => server.close());
  await once(server, 'listening');
  t.regex((await harness.problems()).join(), /stations\.jsonl is a folder or device/);
});

const failure = (code: string): Error => Object.assign(new Error('x'), { code });

test('why a file cannot be read is said in words', (t) => {
  t.is(reasonOf(failure('ENOENT')), 'is missing');
  t.is(reasonOf(failure('EACCES')), 'cannot be read: no permission (EACCES)');
  t.is(reasonOf(failure('EIO')), 'cannot be read (EIO)');
  t.is(reasonOf('other'), 'cannot be read (unknown reason)');
});

const withPath = (path: unknown) => (manifest: ManifestJson) => {
  for (const file of manifest.files) if (file['kind'] === 'teams') file['path'] = path;
  return manifest;
};

for (const [what, path, words] of [
  ['with ..', '../teams.jsonl', /holds an empty part, "\." or "\.\."/],
  ['with .. inside', 'a/../teams.jsonl', /"\.\."/],
  ['with an empty part', 'a//teams.jsonl', /empty part/],
  ['absolute', '/tmp/teams.jsonl', /is not relative/],
  ['with a backslash', String.raw`a\teams.jsonl`, /backslash/],
  ['with a drive letter', 'C:teams.jsonl', /is not relative/],
  ['with NUL', 'teams.jsonl\0', /control character/],
  ['empty', '', /is empty/],
  ['the same as another', 'stations.jsonl', /"stations\.jsonl" is listed twice/],
  ['the same but for case', 'Stations.JSONL', /"Stations\.JSONL" and "stations\.jsonl" differ in case alone/],
  ['no text', 5, /files\[6\]\.path must be a text/],
] as const)
  test(`a path that is ${what} is refused`, async (t) => {
    const problems = await (await bundleHarness(t, { manifest: withPath(path) })).problems();
    t.is(problems.length, 1, problems.join('\n'));
    t.regex(problems[0] ?? '', /^manifest\.json:\d+: /);
    t.regex(problems[0] ?? '', words);
  });

test('each required kind must be listed; teams need not', async (t) => {
  const kinds = ['transports', 'patrol_classes', 'mandates', 'stations', 'patrol_attributes', 'employees', 'patrols'];
  for (const kind of kinds) {
    const harness = await bundleHarness(t, {
      manifest: (m) => ({ ...m, files: m.files.filter((f) => f['kind'] !== kind) }),
    });
    t.regex(
      (await harness.problems()).join(),
      new RegExp(`files must list the kind ${kind}, also when it has no records`),
    );
  }
  const harness = await bundleHarness(t, {
    manifest: (m) => ({ ...m, files: m.files.filter((f) => f['kind'] !== 'teams') }),
  });
  t.deepEqual((await harness.read()).teams, []);
});

const again = (m: ManifestJson) => ({ ...m, files: [...m.files, { ...m.files[3], path: 'more.jsonl' }] });

test('a kind that is listed twice is refused', async (t) => {
  t.regex((await (await bundleHarness(t, { manifest: again })).problems()).join(), /the kind stations is listed twice/);
});

test('kinds without records are fine', async (t) => {
  const none = { transports: [], patrol_classes: [], mandates: [], stations: [], patrol_attributes: [] };
  const harness = await bundleHarness(t, { records: { ...none, employees: [], teams: [], patrols: [] } });
  t.is((await harness.read()).usage.patrols, 0);
});

const other = (path: string) => (m: ManifestJson) => ({
  ...m,
  files: [...m.files, { path, kind: 'tracks', records: 'many' }],
});

test('other kinds are ignored, whether their files are there or not; their paths must be safe all the same', async (t) => {
  t.deepEqual(await (await bundleHarness(t, { manifest: other('tracks.jsonl') })).warnings(), []);
  t.regex((await (await bundleHarness(t, { manifest: other('../x') })).problems()).join(), /the path "\.\.\/x"/);
});
