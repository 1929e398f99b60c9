import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { calls, changes, fakeSite, page, plain, subject } from '../test/fake-site.ts';

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
