import test from 'ava';
import { manualClock } from '../test/manual-clock.ts';
import { newChoice, startSiteHarness } from '../test/site.ts';
import { until } from '../test/harness.ts';
import { siteFaults } from './faults.ts';

const types = 'activity/patrols/types/';
const foot = { value: 'foot', display: 'Foot' };

test('429 says when to come back, in seconds or as a date, and nothing is done', async (t) => {
  const { site, call } = await startSiteHarness(t);
  site.faults.set({ ...siteFaults.throttled(7), count: 1 });
  site.faults.set({ ...siteFaults.throttled('Wed, 21 Oct 2026 07:28:00 GMT'), count: 1 });
  site.faults.set({ ...siteFaults.throttled(), count: 1 });
  const first = await call('POST', types, foot);
  t.is(first.status, 429);
  t.is(first.headers['retry-after'], '7');
  t.deepEqual(first.json, { status: { code: 429, message: 'Too Many Requests' } });
  t.is((await call('POST', types, foot)).headers['retry-after'], 'Wed, 21 Oct 2026 07:28:00 GMT');
  t.is((await call('POST', types, foot)).headers['retry-after'], undefined);
  t.deepEqual(site.state().types, []);
  t.is((await call('POST', types, foot)).status, 201);
});

for (const status of [502, 503, 504] as const)
  test(`${status} is a gateway's HTML, before or after the write`, async (t) => {
    const { site, call } = await startSiteHarness(t);
    site.faults.set({ ...siteFaults.gateway(status), count: 1 });
    const before = await call('POST', types, foot);
    t.is(before.status, status);
    t.regex(String(before.headers['content-type']), /text\/html/);
    t.is(site.state().types.length, 0);
    site.faults.set({ ...siteFaults.gateway(status, 'after'), count: 1 });
    t.is((await call('POST', types, foot)).status, status);
    t.is(site.state().types.length, 1);
  });

test('500 and a redirect to another host are answers like any other', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.faults.set({ ...siteFaults.broken, count: 1 });
  t.like((await get(types)).json, { status: { code: 500, message: 'Internal Server Error' } });
  site.faults.set({ ...siteFaults.redirected('https://other.example/login'), count: 1 });
  const reply = await get(types);
  t.is(reply.status, 307);
  t.is(reply.headers['location'], 'https://other.example/login');
});

for (const when of ['before', 'after'] as const)
  test(`a connection cut ${when} the write gives no answer; the log knows what was done`, async (t) => {
    const { site, call } = await startSiteHarness(t);
    site.faults.set({ ...siteFaults.cut(when), count: 1 });
    t.is((await call('POST', types, foot)).status, null);
    t.is(site.state().types.length, when === 'after' ? 1 : 0);
    t.like(site.log.entries()[0], { body: foot, status: 0, handled: when === 'after' ? 201 : null });
  });

for (const when of ['before', 'after'] as const)
  test(`a request that stalls ${when} the write stays in flight until its connection ends`, async (t) => {
    const { site, call } = await startSiteHarness(t);
    site.faults.set({ ...siteFaults.stalled(when), count: 1 });
    const asked = call('POST', types, foot);
    await until(() => site.log.entries()[0]?.status === 0);
    t.is(site.log.inFlight(), 1);
    t.is(site.state().types.length, when === 'after' ? 1 : 0);
    await site.goDown();
    t.is((await asked).status, null);
    await until(() => site.log.inFlight() === 0);
    await site.comeUp();
    t.is((await call('GET', types)).status, 200);
  });

test('a slow answer and a constant latency come after their time', async (t) => {
  const clock = manualClock();
  const { site, get } = await startSiteHarness(t, { clock, latencyMs: 20 });
  const asked = get(types);
  t.is(await clock.toNextTimer(), 20);
  t.is((await asked).status, 200);
  site.faults.set({ ...siteFaults.slow(60_000), count: 1 });
  const slow = get(types);
  t.is(await clock.toNextTimer(), 60_020);
  t.is((await slow).status, 200);
  site.set({ latency_ms: 0 });
  t.is((await get(types)).status, 200);
});

test('a fault strikes its path, its method and so many requests, from the one it is told to', async (t) => {
  const { site, call, get } = await startSiteHarness(t);
  site.faults.set({ ...siteFaults.broken, path: 'choices/*', method: 'POST', skip: 1, count: 2 });
  const post = async (n: number) => (await call('POST', 'choices/', newChoice('f', `v${n}`))).status;
  t.deepEqual([await post(1), await post(2)], [201, 500]);
  t.is((await get('choices/')).status, 200);
  t.is((await call('POST', types, foot)).status, 201);
  t.deepEqual([await post(3), await post(4)], [500, 201]);
  t.deepEqual(site.faults.list(), []);
});

test('a path with a star covers what lies below it, and dots are only dots', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.faults.set({ ...siteFaults.broken, path: 'activity/patrols/*/default/' });
  t.is((await get('activity/patrols/config/default/')).status, 500);
  t.is((await get('activity/patrols/segments/types/default/')).status, 500);
  t.is((await get(types)).status, 200);
  site.faults.clear();
  site.faults.set({ ...siteFaults.broken, path: 'subj.cts/' });
  t.is((await get('subjects/')).status, 200);
});

test('a fault strikes before the token is looked at', async (t) => {
  const { site, get } = await startSiteHarness(t);
  site.faults.set({ ...siteFaults.gateway(503), path: 'status/' });
  t.is((await get('status/', { token: null })).status, 503);
});
