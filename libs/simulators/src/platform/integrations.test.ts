import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { scratch } from '../test/harness.ts';
import { seeded } from '../time/random.ts';
import { openIntegrations } from './integrations.ts';

test('a new integration has defaults and a key of its own', (t) => {
  const book = openIntegrations(seeded(1));
  const one = book.put({ id: 'a' });
  const two = book.put({ id: 'b' });
  t.like(one, { enabled: true, type: 'device_connector', key_state: 'bound', webhook_data: {}, hidden: false });
  t.not(one.api_key, two.api_key);
  t.deepEqual(book.byKey(two.api_key), { id: 'b', state: 'bound' });
});

test('a change leaves everything else as it was', (t) => {
  const book = openIntegrations(seeded(1));
  const before = book.put({ id: 'a', name: 'Park', webhook_data: { include_no_fix: true } });
  const after = book.put({ id: 'a', enabled: false });
  t.deepEqual(after, { ...before, enabled: false });
  t.is(book.list().length, 1);
});

test('a rotated key belongs to nobody, a deleted integration’s key is bound to nothing', (t) => {
  const book = openIntegrations(seeded(1));
  const { api_key } = book.put({ id: 'a' });
  const fresh = book.rotateKey('a');
  t.is(book.byKey(api_key), undefined);
  t.deepEqual(book.byKey(fresh), { id: 'a', state: 'bound' });
  t.true(book.delete('a'));
  t.false(book.delete('a'));
  t.deepEqual(book.byKey(fresh), { id: 'a', state: 'unbound' });
  t.throws(() => book.rotateKey('a'), { message: /no integration a/ });
});

test('a book in a file survives, readable by its owner alone', (t) => {
  const path = join(scratch(t), 'integrations');
  const book = openIntegrations(seeded(1), path);
  book.put({ id: 'a', api_key: 'one' });
  book.put({ id: 'b' });
  book.rotateKey('a');
  book.delete('b');
  t.is(statSync(path).mode & 0o777, 0o600);
  const again = openIntegrations(seeded(2), path);
  t.deepEqual(again.list(), book.list());
  t.is(again.byKey('one'), undefined);
  t.is((JSON.parse(readFileSync(path, 'utf8')) as unknown[]).length, 1);
});

test('a damaged book is not taken for an empty one', (t) => {
  const path = join(scratch(t), 'integrations');
  writeFileSync(path, '[{');
  t.throws(() => openIntegrations(seeded(1), path), { instanceOf: SyntaxError });
});
