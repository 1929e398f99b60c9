import test from 'ava';
import { manualClock } from '../test/manual-clock.ts';
import { startSiteHarness } from '../test/site.ts';
import { until } from '../test/harness.ts';
import { createRequestLog } from './log.ts';

test('each request is there with method, path, query, body, status and who sent it, in order', async (t) => {
  const { site, call, get } = await startSiteHarness(t);
  await get('choices/?field=a%20b', { token: site.ordinaryToken });
  await call('POST', 'activity/patrols/types/', { value: 'a', display: 'A' });
  await call('POST', 'choices/', undefined, { raw: 'no json', token: 'stranger' });
  await get('/elsewhere');
  const entries = site.log.entries();
  t.deepEqual(
    entries.map(({ seq, method, path, status, username }) => [seq, method, path, status, username]),
    [
      [1, 'GET', '/api/v1.0/choices/', 400, 'ordinary'],
      [2, 'POST', '/api/v1.0/activity/patrols/types/', 201, 'superuser'],
      [3, 'POST', '/api/v1.0/choices/', 401, null],
      [4, 'GET', '/elsewhere', 404, 'superuser'],
    ],
  );
  t.is(entries[0]?.query, 'field=a+b');
  t.is(entries[0]?.body, null);
  t.deepEqual(entries[1]?.body, { value: 'a', display: 'A' });
  t.like(entries[1], { accept: 'application/json', content_type: 'application/json', handled: 201 });
  t.is(entries[2]?.body, 'no json');
  t.deepEqual(
    site.log.writes().map(({ seq }) => seq),
    [2, 3],
  );
});

test('control requests and the page are not in the log', async (t) => {
  const { site, get } = await startSiteHarness(t);
  await get('/__control/state');
  await get('/');
  t.deepEqual(site.log.entries(), []);
});

test('the log knows how many requests are under way', async (t) => {
  const clock = manualClock();
  const { site, get } = await startSiteHarness(t, { clock, latencyMs: 10 });
  const asked = [1, 2, 3].map(() => get('choices/'));
  await until(() => clock.pending() === 3);
  t.is(site.log.inFlight(), 3);
  clock.advance(10);
  await Promise.all(asked);
  await until(() => site.log.inFlight() === 0);
  t.pass();
});

test('a log forgets its oldest entries beyond the limit, and all when cleared; numbers go on', (t) => {
  const log = createRequestLog(manualClock(), 4);
  const request = { method: 'GET', path: '/', query: '', accept: null, content_type: null };
  for (let n = 0; n < 11; n += 1) log.begin(request).end();
  t.true(log.entries().length >= 4 && log.entries().length <= 5);
  t.is(log.entries().at(-1)?.seq, 11);
  const ticket = log.begin(request);
  log.clear();
  t.deepEqual(log.entries(), []);
  t.is(log.inFlight(), 1);
  ticket.end();
  ticket.end();
  t.is(log.inFlight(), 0);
  log.begin(request);
  t.is(log.entries()[0]?.seq, 13);
});
