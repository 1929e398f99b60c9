import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { targetOf } from './target.ts';

test('a target is method, host and path', (t) => {
  t.is(targetOf('GET', new URL('https://u:p@host.example:8443/a/b?token=x#y')), 'GET host.example:8443/a/b');
  t.is(targetOf('POST', null), 'POST (unreadable address)');
});

test('a long path is cut', (t) => {
  const target = targetOf('GET', new URL(`https://host.example/${'x'.repeat(5_000)}`));
  t.true(target.length < 210);
  t.true(target.endsWith('…'));
});

testProp('user, password and query are never in it', [fc.webUrl()], (t, base) => {
  const url = new URL(base);
  url.username = 'c4n4ry-user';
  url.password = 'c4n4ry-password';
  url.search = '?k=c4n4ry-query';
  t.false(targetOf('GET', url).includes('c4n4ry'));
});
