import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import { seededRandom } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { readOrCreateSecret } from './secrets.ts';
import { temporaryFolder } from './test/folder.ts';

const modeOf = async (path: string): Promise<number> => (await stat(path)).mode % 0o1000;

test('a secret is made once, and is the same at every later call', async (t) => {
  const folder = await temporaryFolder(t);
  const random = seededRandom(1);
  const secret = await readOrCreateSecret(folder, 'webhook-token', random);
  t.regex(secret, /^[0-9a-f]{64}$/);
  t.is(await readOrCreateSecret(folder, 'webhook-token', random), secret);
  t.is(await readOrCreateSecret(folder, 'webhook-token', seededRandom(99)), secret);
});

test('secrets of different names differ', async (t) => {
  const folder = await temporaryFolder(t);
  const random = seededRandom(1);
  t.not(await readOrCreateSecret(folder, 'one', random), await readOrCreateSecret(folder, 'two', random));
});

test('only the owner can read the file and its folder', async (t) => {
  const folder = await temporaryFolder(t);
  const secret = await readOrCreateSecret(folder, 'one', seededRandom(1));
  t.is(await modeOf(join(folder, 'secrets', 'one')), 0o600);
  t.is(await modeOf(join(folder, 'secrets')), 0o700);
  t.is(await readFile(join(folder, 'secrets', 'one'), 'utf8'), `${secret}\n`);
});

test('a secret that a person has put there is taken, and closed to others', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'secrets'));
  const path = join(folder, 'secrets', 'one');
  await writeFile(path, 'own secret\r\n');
  await chmod(path, 0o644);
  t.is(await readOrCreateSecret(folder, 'one', seededRandom(1)), 'own secret');
  t.is(await modeOf(path), 0o600);
});

test('an empty file is an error, for a new secret would lock out who has the old one', async (t) => {
  const folder = await temporaryFolder(t);
  await mkdir(join(folder, 'secrets'));
  await writeFile(join(folder, 'secrets', 'one'), '\n');
  const error = await t.throwsAsync(readOrCreateSecret(folder, 'one', seededRandom(1)), { message: /one is empty/ });
  t.true(isRelayError(error, 'data_dir_unusable'));
});

for (const name of ['', '../one', 'a/b', '.hidden', 'Upper', 'x'.repeat(64)])
  test(`"${name.slice(0, 10)}" is not the name of a secret`, async (t) => {
    const folder = await temporaryFolder(t);
    await t.throwsAsync(readOrCreateSecret(folder, name, seededRandom(1)), { instanceOf: TypeError });
  });
