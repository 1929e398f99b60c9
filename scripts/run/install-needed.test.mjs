import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { installReason } from './install.mjs';

const lock = (packages) => JSON.stringify({ lockfileVersion: 3, packages });
const wanted = {
  '': { name: 'root' },
  'libs/a': { name: '@x/a', version: '1.0.0' },
  'node_modules/@x/a': { link: true, resolved: 'libs/a' },
  'node_modules/b': { version: '2.0.0', integrity: 'sha512-b' },
  'node_modules/c': { version: '3.0.0', integrity: 'sha512-c', optional: true },
};
const { '': _root, ...present } = wanted;
const without = (name) => Object.fromEntries(Object.entries(present).filter(([path]) => path !== name));

test('nothing is needed when everything the lockfile asks for is there', (t) => {
  t.is(installReason(lock(wanted), lock(present)), undefined);
  t.is(installReason(lock(wanted), lock({ ...present, 'node_modules/more': { version: '1.0.0' } })), undefined);
});

test('an optional package of another platform may be absent, but not be another version', (t) => {
  t.is(installReason(lock(wanted), lock(without('node_modules/c'))), undefined);
  const other = { ...present, 'node_modules/c': { version: '3.0.1', integrity: 'sha512-c' } };
  t.regex(installReason(lock(wanted), lock(other)) ?? '', /node_modules\/c is not what/);
});

test('an installation is needed on a fresh clone and after one that broke off', (t) => {
  t.is(installReason(lock(wanted), undefined), 'nothing is installed yet');
  for (const broken of ['', '{', 'null', '{"packages":null}', '[]'])
    t.is(installReason(lock(wanted), broken), 'the last installation did not finish', broken);
});

test('an installation is needed for a new package, a new version, other bytes, a new workspace', (t) => {
  const cases = [
    without('node_modules/b'),
    { ...present, 'node_modules/b': { version: '2.0.1', integrity: 'sha512-b' } },
    { ...present, 'node_modules/b': { version: '2.0.0', integrity: 'sha512-other' } },
    { ...present, 'node_modules/@x/a': { version: '1.0.0' } },
    without('libs/a'),
  ];
  for (const packages of cases) t.regex(installReason(lock(wanted), lock(packages)) ?? '', /is not what package-lock/);
});

test('a lockfile that cannot be read is said, not installed over', (t) => {
  for (const broken of ['', '<<<<<<< mine', '{}'])
    t.throws(() => installReason(broken, lock(present)), { message: /package-lock\.json cannot be read/ });
});

const packages = fc.dictionary(
  fc.stringMatching(/^node_modules\/[a-z]{1,3}$/),
  fc.record({ version: fc.constantFrom('1.0.0', '2.0.0'), integrity: fc.constantFrom('sha512-a', 'sha512-b') }),
);

testProp('is silent exactly when every required package agrees', [packages, packages], (t, want, have) => {
  const agree = Object.entries(want).every(
    ([path, { version, integrity }]) => have[path]?.version === version && have[path]?.integrity === integrity,
  );
  t.is(installReason(lock(want), lock(have)) === undefined, agree);
});
