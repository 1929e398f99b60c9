import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { memorySpace } from '../testing/memory-space.ts';
import { derivedKey } from './cipher.ts';
import { encryptedSpace } from './encrypted-space.ts';

const setUp = (secret = 'one') => {
  const space = memorySpace(manualClock());
  const unreadable: string[] = [];
  const onUnreadable = (name: string): void => void unreadable.push(name);
  const open = (of: string) => encryptedSpace(space, { key: derivedKey(of), onUnreadable });
  return { space, unreadable, encrypted: open(secret), open };
};

test('every way of writing encrypts', async (t) => {
  const { space, encrypted } = setUp();
  await encrypted.set('a', 'CANARY-1');
  t.true(await encrypted.setIfAbsent('b', 'CANARY-2'));
  t.false(await encrypted.setIfAbsent('b', 'CANARY-3'));
  t.true(await encrypted.compareAndSet('a', 'CANARY-1', 'CANARY-4'));
  t.false(await encrypted.compareAndSet('a', 'CANARY-1', 'CANARY-5'));
  t.notRegex(JSON.stringify(space.values()), /CANARY/);
  t.deepEqual(await encrypted.list(''), [
    { key: 'a', value: 'CANARY-4' },
    { key: 'b', value: 'CANARY-2' },
  ]);
  t.false(await encrypted.compareAndDelete('a', 'CANARY-1'));
  t.true(await encrypted.compareAndDelete('a', 'CANARY-4'));
  t.true(await encrypted.delete('b'));
  t.deepEqual(space.values(), {});
});

test('what cannot be decrypted counts as absent, is told, and makes room for what is loaded anew', async (t) => {
  const { encrypted, open, unreadable } = setUp();
  const other = open('another');
  await other.set('a', 'x');
  t.is(await encrypted.get('a'), null);
  t.deepEqual(unreadable, ['a']);
  t.deepEqual([await encrypted.list(''), await encrypted.keys('')], [[], ['a']]);
  t.false(await encrypted.compareAndSet('a', 'x', 'y'));
  t.true(await encrypted.setIfAbsent('a', 'z'));
  t.is(await encrypted.get('a'), 'z');
});

test('a value that was moved to another entry is not given out', async (t) => {
  const { space, encrypted } = setUp();
  await encrypted.set('integrationconfig.a.auth', 'login of a');
  await space.set('integrationconfig.b.auth', space.values()['integrationconfig.a.auth'] ?? '');
  t.is(await encrypted.get('integrationconfig.b.auth'), null);
});
