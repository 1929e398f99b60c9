import { randomBytes } from 'node:crypto';
import { fc, testProp } from '@fast-check/ava';
import { anyCharacter } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { decrypt, derivedKey, encrypt, encryptionKey, isEncrypted } from './cipher.ts';

const key = derivedKey('client secret');
const name = 'integrationconfig.park.auth';

testProp(
  'any value under any name comes back, and nothing of it stands in what is stored',
  [fc.string({ unit: anyCharacter, maxLength: 300 }), fc.json(), fc.string()],
  (t, entry, json, more) => {
    const value = JSON.stringify({ json, more, password: 'CANARY-password' });
    const stored = encrypt(key, entry, value);
    t.is(decrypt([key], entry, stored), value);
    t.regex(stored, new RegExp(`^enc:v1:${key.id}:[A-Za-z0-9_-]+$`));
    t.false(stored.includes('CANARY') || Buffer.from(stored.split(':')[3] ?? '', 'base64url').includes('CANARY'));
  },
);

test('a value that was altered in any character is not given out', (t) => {
  const stored = encrypt(key, name, '{"password":"p"}');
  for (let at = 0; at < stored.length; at += 1)
    for (const other of ['A', 'B', 'z', '0', '1', '_', ':', '']) {
      if (stored[at] === other) continue;
      t.is(decrypt([key], name, stored.slice(0, at) + other + stored.slice(at + 1)), undefined, `${at} ${other}`);
    }
  for (let length = 0; length < stored.length; length += 1)
    t.is(decrypt([key], name, stored.slice(0, length)), undefined);
});

test('a value that was moved to another entry, or is of another key, is not given out', (t) => {
  const stored = encrypt(key, name, 'x');
  t.is(decrypt([key], 'integrationconfig.other.auth', stored), undefined);
  t.is(decrypt([derivedKey('another')], name, stored), undefined);
  const relabelled = stored.replace(key.id, derivedKey('another').id);
  t.is(decrypt([derivedKey('another'), key], name, relabelled), undefined);
  t.is(decrypt([derivedKey('another'), key], name, stored), 'x');
});

test('the same value is never stored alike twice', (t) => {
  t.is(new Set(Array.from({ length: 1_000 }, () => encrypt(key, name, 'x'))).size, 1_000);
});

test('the key follows from the secret alone, and its id from the key', (t) => {
  t.deepEqual(derivedKey('client secret'), key);
  t.notDeepEqual(derivedKey('client secreT').bytes, key.bytes);
  t.is(key.bytes.length, 32);
  t.is(encryptionKey(key.bytes).id, key.id);
  t.not(encryptionKey(randomBytes(32)).id, key.id);
  t.true(encrypt(key, name, 'x').startsWith(`enc:v1:${key.id}:`));
  t.false(isEncrypted('{"loaded_at":1}'));
});

test('a value of an earlier process can be read by a later release', (t) => {
  const written = 'enc:v1:282a214b:KPhddHcyY9TQg84r7v5tn6qOo-qHkVDYiFkcvTvFD9sxywqXaLXI';
  t.is(decrypt([key], name, written), '{"value":1}');
});
