import test, { type ExecutionContext } from 'ava';
import type { EventFault } from '../testing/api-server/faults.ts';
import { gadget, gadgets, gadgetsPath, startHarness, type Harness } from '../test/harness.ts';
import { createInformer, type Informer, type InformerOptions } from './informer.ts';

const start = (t: ExecutionContext, harness: Harness, options: Partial<InformerOptions> = {}): Informer => {
  const { api, clock, context } = harness;
  const { random, log, metrics } = context;
  const informer = createInformer({ api, resource: gadgets, clock, random, log, metrics, ...options });
  informer.start();
  t.teardown(() => informer.stop());
  return informer;
};

/** The server's objects as the cache should have them. */
const inServer = ({ server }: Harness): string[] =>
  server.store.all('example.test/v1/gadgets').map((each) => JSON.stringify(each));
const inCache = ({ cache }: Informer): string[] => cache.values().map((each) => JSON.stringify(each));
const facts = (texts: string[]): string[] =>
  texts
    .map(
      (text) => JSON.parse(text) as { metadata: { name: string; resourceVersion: string; uid: string }; spec: unknown },
    )
    .map(({ metadata, spec }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion} ${JSON.stringify(spec)}`)
    .toSorted();
const agrees = (harness: Harness, informer: Informer) => (): boolean =>
  facts(inServer(harness)).join('\n') === facts(inCache(informer)).join('\n');

const put = ({ server }: Harness, name: string, n: number): void =>
  void server.call('PATCH', `${gadgetsPath}/${name}`, { spec: { n } });
const watching =
  ({ server }: Harness) =>
  (): boolean =>
    server.watches.count() === 1;

test('nothing is in the cache before the first list, and all of it after', async (t) => {
  const harness = await startHarness(t);
  for (let n = 0; n < 600; n += 1) harness.server.call('POST', gadgetsPath, gadget(`g${n}`));
  harness.server.faults.onRequest({ kind: 'hold' });
  const informer = start(t, harness);
  await harness.until(() => harness.server.held() === 1);
  t.false(informer.synced());
  t.is(informer.cache.size, 0);
  const synced = informer.whenSynced();
  harness.server.release();
  await harness.until(() => informer.synced());
  await synced;
  t.true(agrees(harness, informer)());
  t.is(informer.cache.get('park/g17')?.kind, 'Gadget');
  t.is(harness.server.requests.filter(({ watch }) => !watch).length, 3);
});

test('changes come in order: what is new, changed, gone, and made again', async (t) => {
  const harness = await startHarness(t);
  const informer = start(t, harness);
  const heard: string[] = [];
  informer.onChange(({ key, object, previous }) =>
    heard.push(`${key} ${JSON.stringify(previous?.spec ?? null)} -> ${JSON.stringify(object?.spec ?? null)}`),
  );
  await harness.until(watching(harness));
  harness.server.call('POST', gadgetsPath, gadget('a', { n: 1 }));
  put(harness, 'a', 2);
  harness.server.call('DELETE', `${gadgetsPath}/a`);
  harness.server.call('POST', gadgetsPath, gadget('a', { n: 3 }));
  await harness.until(agrees(harness, informer));
  t.deepEqual(heard, [
    'park/a null -> {"n":1}',
    'park/a {"n":1} -> {"n":2}',
    'park/a {"n":2} -> null',
    'park/a null -> {"n":3}',
  ]);
});

test('a listener that fails keeps nobody else from hearing, and ends nothing', async (t) => {
  const harness = await startHarness(t);
  const informer = start(t, harness);
  const heard: string[] = [];
  informer.onChange(() => {
    throw new TypeError('broken');
  });
  const stop = informer.onChange(({ key }) => heard.push(key));
  await harness.until(watching(harness));
  harness.server.call('POST', gadgetsPath, gadget('a'));
  await harness.until(agrees(harness, informer));
  stop();
  harness.server.call('POST', gadgetsPath, gadget('b'));
  await harness.until(agrees(harness, informer));
  t.deepEqual(heard, ['park/a']);
});

test('only what is selected is in the cache, also when it leaves the selection', async (t) => {
  const harness = await startHarness(t);
  harness.server.call('POST', gadgetsPath, gadget('in', {}, { team: 'a' }));
  harness.server.call('POST', gadgetsPath, gadget('out', {}, { team: 'b' }));
  const informer = start(t, harness, { namespace: 'park', labelSelector: 'team=a' });
  await harness.until(watching(harness));
  t.deepEqual(informer.cache.keys(), ['park/in']);
  harness.server.call('PATCH', `${gadgetsPath}/out`, { metadata: { labels: { team: 'a' } } });
  harness.server.call('PATCH', `${gadgetsPath}/in`, { metadata: { labels: { team: 'b' } } });
  await harness.until(() => informer.cache.keys().join() === 'park/out');
  t.pass();
});

for (const fault of ['cut', 'twice', 'repeat', 'garbage', 'gone', 'error', 'end', 'slices'] as EventFault[])
  test(`the cache is what the server has after an event with the fault "${fault}", with few calls`, async (t) => {
    const harness = await startHarness(t);
    const informer = start(t, harness);
    await harness.until(watching(harness));
    harness.server.call('POST', gadgetsPath, gadget('a', { text: 'grüße 🦏 '.repeat(20) }));
    harness.server.faults.onEvent(fault);
    put(harness, 'a', 2);
    harness.server.call('POST', gadgetsPath, gadget('b'));
    harness.server.call('DELETE', `${gadgetsPath}/b`);
    harness.server.call('POST', gadgetsPath, gadget('c'));
    await harness.until(() => agrees(harness, informer)() && watching(harness)());
    await harness.pass(5_000);
    t.true(agrees(harness, informer)());
    t.true(harness.server.requests.length <= 5, String(harness.server.requests.length));
  });

test('a connection that says nothing is given up after a while, and what it kept back is caught up on', async (t) => {
  const harness = await startHarness(t);
  const informer = start(t, harness, { silentMs: 60_000 });
  await harness.until(watching(harness));
  harness.server.faults.onEvent('swallow');
  harness.server.call('POST', gadgetsPath, gadget('a'));
  const before = harness.clock.monotonic();
  await harness.until(agrees(harness, informer), 'the cache agrees', 1_000);
  t.true(harness.clock.monotonic() - before >= 59_000);
  t.true(harness.clock.monotonic() - before <= 64_000);
  t.is(harness.server.requests.length, 3);
});

test('bookmarks keep a quiet connection, and move the version on that a new watch begins with', async (t) => {
  const harness = await startHarness(t);
  const informer = start(t, harness, { silentMs: 60_000, relistMs: 3_600_000 });
  await harness.until(watching(harness));
  for (let n = 0; n < 5; n += 1) {
    await harness.pass(50_000, 5_000);
    harness.server.call('POST', '/api/v1/namespaces/park/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `c${n}`, namespace: 'park' },
    });
    harness.server.watches.bookmark();
  }
  await harness.pass(1_000);
  t.is(harness.server.requests.length, 2);
  // Without the bookmarks the old version would be gone now.
  harness.server.compact();
  harness.server.watches.end();
  await harness.until(watching(harness));
  harness.server.call('POST', gadgetsPath, gadget('a'));
  await harness.until(agrees(harness, informer));
  t.deepEqual(
    harness.server.requests.map(({ watch }) => watch),
    [false, true, true],
  );
});

test('a version that is gone leads to a list, as a status and as an event', async (t) => {
  const harness = await startHarness(t);
  const informer = start(t, harness);
  await harness.until(watching(harness));
  for (const asStatus of [true, false]) {
    harness.server.call('POST', gadgetsPath, gadget(`a-${asStatus}`));
    harness.server.compact();
    if (asStatus) harness.server.faults.onRequest({ kind: 'status', status: 410, reason: 'Gone' }, { watch: true });
    const asked = (watch: boolean) => harness.server.requests.filter((each) => each.watch === watch).length;
    const [lists, watches] = [asked(false), asked(true)];
    harness.server.faults.onEvent('end');
    harness.server.call('POST', gadgetsPath, gadget(`b-${asStatus}`));
    harness.server.compact();
    await harness.until(() => agrees(harness, informer)() && watching(harness)());
    // A version that is gone is asked for once and never again.
    t.deepEqual([asked(false), asked(true)], [lists + 1, watches + 2]);
    await harness.pass(30_000);
  }
});

test('a list whose later parts are gone begins again', async (t) => {
  const harness = await startHarness(t);
  for (let n = 0; n < 300; n += 1) harness.server.call('POST', gadgetsPath, gadget(`g${n}`));
  harness.server.faults.onRequest({ kind: 'hold' }, { watch: false });
  const informer = start(t, harness);
  await harness.until(() => harness.server.held() === 1);
  harness.server.faults.onRequest({ kind: 'status', status: 410, reason: 'Expired' }, { watch: false });
  harness.server.release();
  await harness.until(agrees(harness, informer));
  t.is(informer.cache.size, 300);
});

test('a server that asks to wait is not asked before', async (t) => {
  const harness = await startHarness(t);
  harness.server.faults.onRequest({ kind: 'status', status: 429, retryAfter: 45 });
  const informer = start(t, harness);
  await harness.until(() => harness.server.requests.length === 1);
  await harness.pass(44_000);
  t.is(harness.server.requests.length, 1);
  await harness.until(() => informer.synced());
  t.true(harness.clock.monotonic() <= 47_000);
});

for (const [what, fault] of [
  ['refuses everything', { kind: 'status', status: 500 }],
  ['breaks every connection', { kind: 'reset' }],
  ['answers half', { kind: 'half' }],
  ['does not take the login', { kind: 'status', status: 401 }],
] as const)
  test(`no busy loop while a server ${what}, and the cache is right soon after that ends`, async (t) => {
    const harness = await startHarness(t);
    harness.server.call('POST', gadgetsPath, gadget('a'));
    harness.server.faults.onRequest(fault, { count: 1_000 });
    const informer = start(t, harness);
    await harness.pass(600_000, 2_000);
    t.true(harness.server.requests.length >= 15, String(harness.server.requests.length));
    t.true(harness.server.requests.length <= 35, String(harness.server.requests.length));
    t.false(informer.synced());
    harness.server.faults.clear();
    const before = harness.clock.monotonic();
    await harness.until(agrees(harness, informer));
    t.true(harness.clock.monotonic() - before <= 40_000);
  });

for (const fault of ['end', 'gone', 'garbage', 'cut', 'error'] as EventFault[])
  test(`no busy loop when every watch meets the fault "${fault}"`, async (t) => {
    const harness = await startHarness(t);
    harness.server.call('POST', gadgetsPath, gadget('a', { n: 0 }));
    const informer = start(t, harness);
    await harness.until(watching(harness));
    const before = harness.server.requests.length;
    harness.server.faults.onEvent(fault, 1_000);
    const stop = harness.clock.monotonic() + 300_000;
    for (let n = 1; harness.clock.monotonic() < stop; n += 1) {
      put(harness, 'a', n);
      await harness.pass(1_000, 500);
    }
    t.true(harness.server.requests.length - before <= 50, String(harness.server.requests.length - before));
    harness.server.faults.clear();
    await harness.until(agrees(harness, informer));
    t.true(agrees(harness, informer)());
  });

test('a slow server is waited for so long and no longer, and asked again', async (t) => {
  const harness = await startHarness(t);
  harness.server.faults.onRequest({ kind: 'hold' }, { count: 2 });
  const informer = start(t, harness);
  await harness.until(() => informer.synced());
  t.true(harness.clock.monotonic() >= 40_000);
  t.is(harness.server.requests.filter(({ watch }) => !watch).length, 3);
});

test('a server that was away and has forgotten everything since is caught up with', async (t) => {
  const harness = await startHarness(t);
  harness.server.call('POST', gadgetsPath, gadget('a'));
  harness.server.call('POST', gadgetsPath, gadget('b'));
  const informer = start(t, harness);
  const gone: string[] = [];
  informer.onChange(({ key, object }) => (object ? undefined : gone.push(key)));
  await harness.until(watching(harness));
  await harness.server.goDown();
  harness.server.call('DELETE', `${gadgetsPath}/a`);
  harness.server.call('POST', gadgetsPath, gadget('c'));
  harness.server.compact();
  await harness.pass(20_000);
  t.true(informer.synced());
  t.is(informer.cache.size, 2);
  await harness.server.comeUp();
  await harness.until(agrees(harness, informer));
  t.deepEqual(gone, ['park/a']);
});

test('everything is listed anew from time to time, which fixes what no watch told', async (t) => {
  const harness = await startHarness(t);
  const informer = start(t, harness, { relistMs: 300_000, silentMs: 3_600_000 });
  await harness.until(watching(harness));
  harness.server.faults.onEvent('swallow');
  harness.server.call('POST', gadgetsPath, gadget('a'));
  const before = harness.clock.monotonic();
  await harness.until(agrees(harness, informer), 'the cache agrees', 5_000);
  t.true(harness.clock.monotonic() - before >= 235_000);
  t.true(harness.clock.monotonic() - before <= 370_000);
});

test('a version from before a restored backup leads to a list soon', async (t) => {
  const harness = await startHarness(t);
  const informer = start(t, harness);
  await harness.until(watching(harness));
  harness.server.faults.onRequest({ kind: 'status', status: 504, reason: 'Timeout' }, { watch: true, count: 1_000 });
  harness.server.faults.onEvent('end');
  harness.server.call('POST', gadgetsPath, gadget('a'));
  await harness.until(agrees(harness, informer));
  t.true(harness.server.requests.length <= 6);
});

test('too many objects are an error that says so, and never a cache without bounds', async (t) => {
  const harness = await startHarness(t);
  for (let n = 0; n < 30; n += 1) harness.server.call('POST', gadgetsPath, gadget(`g${n}`));
  const informer = start(t, harness, { limit: 29 });
  await harness.pass(5_000);
  t.false(informer.synced());
  harness.server.call('DELETE', `${gadgetsPath}/g0`);
  await harness.until(() => informer.synced());
  t.is(informer.cache.size, 29);
});

test('a copy that grows beyond its bound is listed again, and says that it is not kept up to date', async (t) => {
  const harness = await startHarness(t);
  const informer = start(t, harness, { limit: 3 });
  await harness.until(watching(harness));
  for (let n = 0; n < 20; n += 1) harness.server.call('POST', gadgetsPath, gadget(`g${n}`));
  await harness.pass(10_000);
  t.true(informer.cache.size <= 4);
  t.regex(await harness.context.metrics.render(), /relay_kube_cache_ready\{kind="Gadget"\} 0/);
  t.true(harness.server.requests.length <= 9);
});

test('an informer that was stopped asks nothing more', async (t) => {
  const harness = await startHarness(t);
  const informer = start(t, harness);
  await harness.until(watching(harness));
  await informer.stop();
  await harness.pass(60_000, 5_000);
  t.is(harness.server.requests.length, 2);
  t.is(harness.server.watches.count(), 0);
});

test('metrics say whether the copy is kept up to date, and why watches ended', async (t) => {
  const harness = await startHarness(t);
  start(t, harness);
  await harness.until(watching(harness));
  const { metrics } = harness.context;
  t.regex(await metrics.render(), /relay_kube_cache_ready\{kind="Gadget"\} 1/);
  await harness.server.goDown();
  await harness.pass(2_000);
  t.regex(await metrics.render(), /relay_kube_cache_ready\{kind="Gadget"\} 0/);
  await harness.server.comeUp();
  await harness.until(watching(harness));
  t.regex(await metrics.render(), /relay_kube_cache_ready\{kind="Gadget"\} 1/);
  t.regex(await metrics.render(), /relay_kube_watch_ends_total\{kind="Gadget",reason="failed"\} [1-9]/);
});
