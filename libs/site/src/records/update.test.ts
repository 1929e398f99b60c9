import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { calls, changes, data, fakeSite, page, plain, subject } from '../test/fake-site.ts';

test('a patch that the site throttles for long is not sent over what somebody else has changed meanwhile', async (t) => {
  const throttled = plain(429, '', { 'retry-after': '30' });
  const edited = { ...subject, additional: { ext_rank: 'A', phone: '2' } };
  const { site, asked } = await fakeSite(t, [throttled, page([edited])]);
  const error = await t.throwsAsync(site.patchSubject(subject, changes));
  t.true(isRelayError(error, 'site_changed') && !error.ambiguous);
  t.deepEqual(calls(asked), ['PATCH subject/s1/', 'GET subjects/']);
});

test('a patch is sent in the end, however often the site holds it back behind a look', async (t) => {
  const throttled = plain(429, '', { 'retry-after': '30' });
  const { site, asked } = await fakeSite(t, (one) =>
    (one.method === 'GET' || asked.length > 6 ? page([subject]) : throttled)(one),
  );
  await site.patchSubject(subject, changes);
  t.true(asked.length < 12, `${asked.length}`);
});

test('a patch whose object was read long ago is sent after another reading, unless somebody else has changed it', async (t) => {
  const answers = [page([subject]), data({}), page([{ ...subject, name: 'theirs' }])];
  const { site, asked, clock } = await fakeSite(t, answers);
  await site.patchSubject(subject, changes, clock.monotonic() - 6_000);
  const late = site.patchSubject(subject, changes, clock.monotonic() - 6_000);
  t.true(isRelayError(await t.throwsAsync(late), 'site_changed'));
  t.deepEqual(calls(asked), ['GET subjects/', 'PATCH subject/s1/', 'GET subjects/']);
});

test('a value that somebody else has set before the patch was sent counts as theirs', async (t) => {
  const { site, asked, clock } = await fakeSite(t, page([{ ...subject, ...changes }]));
  const error = await t.throwsAsync(site.patchSubject(subject, changes, clock.monotonic() - 6_000));
  t.true(isRelayError(error, 'site_changed') && !error.ambiguous);
  t.deepEqual(calls(asked), ['GET subjects/']);
});

test('every attempt that the site throttles for long is preceded by a reading of its own', async (t) => {
  const throttled = plain(429, '', { 'retry-after': '30' });
  const { site, asked } = await fakeSite(t, (one) =>
    (one.method === 'GET' ? page([asked.length > 8 ? { ...subject, name: 'theirs' } : subject]) : throttled)(one),
  );
  t.true(isRelayError(await t.throwsAsync(site.patchSubject(subject, changes)), 'site_changed'));
  const methods = asked.map(({ method }) => method);
  t.false(
    methods.some((method, n) => method === 'PATCH' && methods[n + 1] === 'PATCH'),
    methods.join(' '),
  );
});
