import { isRelayError, type ErrorCode } from '@ranger-relay/errors';
import test from 'ava';
import { answer, broken, scriptedSite } from '../test/scripted-site.ts';

test('a file is fetched by a relative address, and by one that names the host of the site', async (t) => {
  for (const url of [
    '/api/v1.0/activity/event/1/file/2/a.jpg?x=1',
    'https://site.example/api/v1.0/activity/event/1/file/2/a.jpg?x=1',
    'http://site.example/api/v1.0/activity/event/1/file/2/a.jpg?x=1',
  ]) {
    const { reader, asked, requests } = scriptedSite(() => answer(200, 'bytes'));
    t.is(new TextDecoder().decode(await reader.fetchBytes(url, 100)), 'bytes');
    t.deepEqual(asked(), ['GET /api/v1.0/activity/event/1/file/2/a.jpg?x=1']);
    t.is(requests[0]?.maxBytes, 100);
  }
});

test('nothing is ever asked of another host, so that the token stays here', async (t) => {
  for (const url of [
    'https://elsewhere.example/a.jpg',
    '//elsewhere.example/a.jpg',
    'https://site.example:8443/a.jpg',
    'https://site.example.elsewhere.example/a',
    String.raw`\\elsewhere.example\a`,
    'file:///etc/hosts',
    'data:text/plain,x',
  ]) {
    const { reader, requests } = scriptedSite(() => answer(200, 'bytes'));
    t.true(isRelayError(await t.throwsAsync(reader.fetchBytes(url, 100)), 'site_address_foreign'), url);
    t.is(requests.length, 0);
  }
});

test('a file that is too large, refused or not there says so', async (t) => {
  const cases: readonly [() => ReturnType<typeof answer>, ErrorCode][] = [
    [() => broken('http_body_too_large'), 'site_file_too_large'],
    [() => answer(403), 'site_forbidden'],
    [() => answer(404), 'site_not_found'],
    [() => answer(503), 'site_unavailable'],
    [() => answer(302, '', { headers: { location: 'https://store.example/x' } }), 'site_redirected'],
  ];
  for (const [script, code] of cases)
    t.true(isRelayError(await t.throwsAsync(scriptedSite(script).reader.fetchBytes('/a', 5)), code), code);
});
