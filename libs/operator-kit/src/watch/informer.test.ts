import test, { type ExecutionContext } from 'ava';
import type { EventFault } from '../testing/api-server/faults.ts';
import { gadget, gadgets, gadgetsPath, startWorld, type World } from '../test/world.ts';
import { createInformer, type Informer, type InformerOptions } from './informer.ts';

const start = (t: ExecutionContext, world: World, options: Partial<InformerOptions> = {}): Informer => {
  const { api, clock, context } = world;
  const { random, log, metrics } = context;
  const informer = createInformer({ api, resource: gadgets, clock, random, log, metrics, ...options });
  informer.start();
  t.teardown(() => informer.stop());
  return informer;
};

/** The server's objects as the cache should have them. */
const inServer = ({ server }: World): string[] =>
  server.store.all('example.test/v1/gadgets').map((each) => JSON.stringify(each));
const inCache = ({ cache }: Informer): string[] => cache.values().map((each) => JSON.stringify(each));
const facts = (texts: string[]): string[] =>
  texts
    .map(
      (text) => JSON.parse(text) as { metadata: { name: string; resourceVersion: string; uid: string }; spec: unknown },
    )
    .map(({ metadata, spec }) => `${metadata.name} ${metadata.uid} ${metadata.resourceVersion} ${JSON.stringify(spec)}`)
    .toSorted();
const agrees = (world: World, informer: Informer) => (): boolean =>
  facts(inServer(world)).join('\n') === facts(inCache(informer)).join('\n');

const put = ({ server }: World, name: string, n: number): void =>
  void server.call('PATCH', `${gadgetsPath}/${name}`, { spec: { n } });
const watching =
  ({ server }: World) =>
  (): boolean =>
    server.watches.count() === 1;

test('nothing is in the cache before the first list, and all of it after', async (t) => {
  const world = await startWorld(t);
  for (let n = 0; n < 600; n += 1) world.server.call('POST', gadgetsPath, gadget(`g${n}`));
  world.server.faults.onRequest({ kind: 'hold' });
  const informer = start(t, world);
  await world.until(() => world.server.held() === 1);
  t.false(informer.synced());
  t.is(informer.cache.size, 0);
  const synced = informer.whenSynced();
  world.server.release();
  await world.until(() => informer.synced());
  await synced;
  t.true(agrees(world, informer)());
  t.is(informer.cache.get('park/g17')?.kind, 'Gadget');
  t.is(world.server.requests.filter(({ watch }) => !watch).length, 3);
});

test('a wait for the first list ends with its signal, and another one goes on', async (t) => {
  const world = await startWorld(t);
  world.server.faults.onRequest({ kind: 'hold' });
  const informer = start(t, world);
  const controller = new AbortController();
  const ended = informer.whenSynced(controller.signal);
  controller.abort(new Error('enough'));
  await t.throwsAsync(ended, { message: 'enough' });
  await world.until(() => world.server.held() === 1);
  world.server.release();
  await Promise.all([informer.whenSynced(), world.until(() => informer.synced())]);
  t.pass();
});

test('changes come in order: what is new, changed, gone, and made again', async (t) => {
  const world = await startWorld(t);
  const informer = start(t, world);
  const heard: string[] = [];
  informer.onChange(({ key, object, previous }) =>
    heard.push(`${key} ${JSON.stringify(previous?.spec ?? null)} -> ${JSON.stringify(object?.spec ?? null)}`),
  );
  await world.until(watching(world));
  world.server.call('POST', gadgetsPath, gadget('a', { n: 1 }));
  put(world, 'a', 2);
  world.server.call('DELETE', `${gadgetsPath}/a`);
  world.server.call('POST', gadgetsPath, gadget('a', { n: 3 }));
  await world.until(agrees(world, informer));
  t.deepEqual(heard, [
    'park/a null -> {"n":1}',
    'park/a {"n":1} -> {"n":2}',
    'park/a {"n":2} -> null',
    'park/a null -> {"n":3}',
  ]);
});

test('a listener that fails keeps nobody else from hearing, and ends nothing', async (t) => {
  const world = await startWorld(t);
  const informer = start(t, world);
  const heard: string[] = [];
  informer.onChange(() => {
    throw new TypeError('broken');
  });
  const stop = informer.onChange(({ key }) => heard.push(key));
  await world.until(watching(world));
  world.server.call('POST', gadgetsPath, gadget('a'));
  await world.until(agrees(world, informer));
  stop();
  world.server.call('POST', gadgetsPath, gadget('b'));
  await world.until(agrees(world, informer));
  t.deepEqual(heard, ['park/a']);
});

test('only what is selected is in the cache, also when it leaves the selection', async (t) => {
  const world = await startWorld(t);
  world.server.call('POST', gadgetsPath, gadget('in', {}, { team: 'a' }));
  world.server.call('POST', gadgetsPath, gadget('out', {}, { team: 'b' }));
  const informer = start(t, world, { namespace: 'park', labelSelector: 'team=a' });
  await world.until(watching(world));
  t.deepEqual(informer.cache.keys(), ['park/in']);
  world.server.call('PATCH', `${gadgetsPath}/out`, { metadata: { labels: { team: 'a' } } });
  world.server.call('PATCH', `${gadgetsPath}/in`, { metadata: { labels: { team: 'b' } } });
  await world.until(() => informer.cache.keys().join() === 'park/out');
  t.pass();
});

for (const fault of ['cut', 'twice', 'repeat', 'garbage', 'gone', 'error', 'end', 'slices'] as EventFault[])
  test(`the cache is what the server has after an event with the fault "${fault}", with few calls`, async (t) => {
    const world = await startWorld(t);
    const informer = start(t, world);
    await world.until(watching(world));
    world.server.call('POST', gadgetsPath, gadget('a', { text: 'grüße 🦏 '.repeat(20) }));
    world.server.faults.onEvent(fault);
    put(world, 'a', 2);
    world.server.call('POST', gadgetsPath, gadget('b'));
    world.server.call('DELETE', `${gadgetsPath}/b`);
    world.server.call('POST', gadgetsPath, gadget('c'));
    await world.until(() => agrees(world, informer)() && watching(world)());
    await world.pass(5_000);
    t.true(agrees(world, informer)());
    t.true(world.server.requests.length <= 5, String(world.server.requests.length));
  });

test('a connection that says nothing is given up after a while, and what it kept back is caught up on', async (t) => {
  const world = await startWorld(t);
  const informer = start(t, world, { silentMs: 60_000 });
  await world.until(watching(world));
  world.server.faults.onEvent('swallow');
  world.server.call('POST', gadgetsPath, gadget('a'));
  const before = world.clock.monotonic();
  await world.until(agrees(world, informer), 'the cache agrees', 1_000);
  t.true(world.clock.monotonic() - before >= 59_000);
  t.true(world.clock.monotonic() - before <= 64_000);
  t.is(world.server.requests.length, 3);
});

test('bookmarks keep a quiet connection, and move the version on that a new watch begins with', async (t) => {
  const world = await startWorld(t);
  const informer = start(t, world, { silentMs: 60_000, relistMs: 3_600_000 });
  await world.until(watching(world));
  for (let n = 0; n < 5; n += 1) {
    await world.pass(50_000, 5_000);
    world.server.call('POST', '/api/v1/namespaces/park/configmaps', {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `c${n}`, namespace: 'park' },
    });
    world.server.watches.bookmark();
  }
  await world.pass(1_000);
  t.is(world.server.requests.length, 2);
  // Without the bookmarks the old version would be gone now.
  world.server.compact();
  world.server.watches.end();
  await world.until(watching(world));
  world.server.call('POST', gadgetsPath, gadget('a'));
  await world.until(agrees(world, informer));
  t.deepEqual(
    world.server.requests.map(({ watch }) => watch),
    [false, true, true],
  );
});

test('a version that is gone leads to a list, as a status and as an event', async (t) => {
  const world = await startWorld(t);
  const informer = start(t, world);
  await world.until(watching(world));
  for (const asStatus of [true, false]) {
    world.server.call('POST', gadgetsPath, gadget(`a-${asStatus}`));
    world.server.compact();
    if (asStatus) world.server.faults.onRequest({ kind: 'status', status: 410, reason: 'Gone' }, { watch: true });
    const asked = (watch: boolean) => world.server.requests.filter((each) => each.watch === watch).length;
    const [lists, watches] = [asked(false), asked(true)];
    world.server.faults.onEvent('end');
    world.server.call('POST', gadgetsPath, gadget(`b-${asStatus}`));
    world.server.compact();
    await world.until(() => agrees(world, informer)() && watching(world)());
    // A version that is gone is asked for once and never again.
    t.deepEqual([asked(false), asked(true)], [lists + 1, watches + 2]);
    await world.pass(30_000);
  }
});

test('a list whose later parts are gone begins again', async (t) => {
  const world = await startWorld(t);
  for (let n = 0; n < 300; n += 1) world.server.call('POST', gadgetsPath, gadget(`g${n}`));
  world.server.faults.onRequest({ kind: 'hold' }, { watch: false });
  const informer = start(t, world);
  await world.until(() => world.server.held() === 1);
  world.server.faults.onRequest({ kind: 'status', status: 410, reason: 'Expired' }, { watch: false });
  world.server.release();
  await world.until(agrees(world, informer));
  t.is(informer.cache.size, 300);
});

test('a server that asks to wait is not asked before', async (t) => {
  const world = await startWorld(t);
  world.server.faults.onRequest({ kind: 'status', status: 429, retryAfter: 45 });
  const informer = start(t, world);
  await world.until(() => world.server.requests.length === 1);
  await world.pass(44_000);
  t.is(world.server.requests.length, 1);
  await world.until(() => informer.synced());
  t.true(world.clock.monotonic() <= 47_000);
});

for (const [what, fault] of [
  ['refuses everything', { kind: 'status', status: 500 }],
  ['breaks every connection', { kind: 'reset' }],
  ['answers half', { kind: 'half' }],
  ['does not take the login', { kind: 'status', status: 401 }],
] as const)
  test(`no busy loop while a server ${what}, and the cache is right soon after that ends`, async (t) => {
    const world = await startWorld(t);
    world.server.call('POST', gadgetsPath, gadget('a'));
    world.server.faults.onRequest(fault, { count: 1_000 });
    const informer = start(t, world);
    await world.pass(600_000, 2_000);
    t.true(world.server.requests.length >= 15, String(world.server.requests.length));
    t.true(world.server.requests.length <= 35, String(world.server.requests.length));
    t.false(informer.synced());
    world.server.faults.clear();
    const before = world.clock.monotonic();
    await world.until(agrees(world, informer));
    t.true(world.clock.monotonic() - before <= 40_000);
  });

for (const fault of ['end', 'gone', 'garbage', 'cut', 'error'] as EventFault[])
  test(`no busy loop when every watch meets the fault "${fault}"`, async (t) => {
    const world = await startWorld(t);
    world.server.call('POST', gadgetsPath, gadget('a', { n: 0 }));
    const informer = start(t, world);
    await world.until(watching(world));
    const before = world.server.requests.length;
    world.server.faults.onEvent(fault, 1_000);
    const stop = world.clock.monotonic() + 300_000;
    for (let n = 1; world.clock.monotonic() < stop; n += 1) {
      put(world, 'a', n);
      await world.pass(1_000, 500);
    }
    t.true(world.server.requests.length - before <= 50, String(world.server.requests.length - before));
    world.server.faults.clear();
    await world.until(agrees(world, informer));
    t.true(agrees(world, informer)());
  });

test('a slow server is waited for so long and no longer, and asked again', async (t) => {
  const world = await startWorld(t);
  world.server.faults.onRequest({ kind: 'hold' }, { count: 2 });
  const informer = start(t, world);
  await world.until(() => informer.synced());
  t.true(world.clock.monotonic() >= 40_000);
  t.is(world.server.requests.filter(({ watch }) => !watch).length, 3);
});

test('a server that was away and has forgotten everything since is caught up with', async (t) => {
  const world = await startWorld(t);
  world.server.call('POST', gadgetsPath, gadget('a'));
  world.server.call('POST', gadgetsPath, gadget('b'));
  const informer = start(t, world);
  const gone: string[] = [];
  informer.onChange(({ key, object }) => (object ? undefined : gone.push(key)));
  await world.until(watching(world));
  await world.server.goDown();
  world.server.call('DELETE', `${gadgetsPath}/a`);
  world.server.call('POST', gadgetsPath, gadget('c'));
  world.server.compact();
  await world.pass(20_000);
  t.true(informer.synced());
  t.is(informer.cache.size, 2);
  await world.server.comeUp();
  await world.until(agrees(world, informer));
  t.deepEqual(gone, ['park/a']);
});

test('everything is listed anew from time to time, which mends what no watch told', async (t) => {
  const world = await startWorld(t);
  const informer = start(t, world, { relistMs: 300_000, silentMs: 3_600_000 });
  await world.until(watching(world));
  world.server.faults.onEvent('swallow');
  world.server.call('POST', gadgetsPath, gadget('a'));
  const before = world.clock.monotonic();
  await world.until(agrees(world, informer), 'the cache agrees', 5_000);
  t.true(world.clock.monotonic() - before >= 235_000);
  t.true(world.clock.monotonic() - before <= 370_000);
});

test('a version from before a restored backup leads to a list soon', async (t) => {
  const world = await startWorld(t);
  const informer = start(t, world);
  await world.until(watching(world));
  world.server.faults.onRequest({ kind: 'status', status: 504, reason: 'Timeout' }, { watch: true, count: 1_000 });
  world.server.faults.onEvent('end');
  world.server.call('POST', gadgetsPath, gadget('a'));
  await world.until(agrees(world, informer));
  t.true(world.server.requests.length <= 6);
});

test('too many objects are an error that says so, and never a cache without bounds', async (t) => {
  const world = await startWorld(t);
  for (let n = 0; n < 30; n += 1) world.server.call('POST', gadgetsPath, gadget(`g${n}`));
  const informer = start(t, world, { limit: 29 });
  await world.pass(5_000);
  t.false(informer.synced());
  world.server.call('DELETE', `${gadgetsPath}/g0`);
  await world.until(() => informer.synced());
  t.is(informer.cache.size, 29);
});

test('a copy that grows beyond its bound is listed again, and says that it is not kept up to date', async (t) => {
  const world = await startWorld(t);
  const informer = start(t, world, { limit: 3 });
  await world.until(watching(world));
  for (let n = 0; n < 20; n += 1) world.server.call('POST', gadgetsPath, gadget(`g${n}`));
  await world.pass(10_000);
  t.true(informer.cache.size <= 4);
  t.regex(await world.context.metrics.render(), /relay_kube_cache_ready\{kind="Gadget"\} 0/);
  t.true(world.server.requests.length <= 9);
});

test('an informer that was stopped asks nothing more', async (t) => {
  const world = await startWorld(t);
  const informer = start(t, world);
  await world.until(watching(world));
  await informer.stop();
  await world.pass(60_000, 5_000);
  t.is(world.server.requests.length, 2);
  t.is(world.server.watches.count(), 0);
});

test('metrics say whether the copy is kept up to date, and why watches ended', async (t) => {
  const world = await startWorld(t);
  start(t, world);
  await world.until(watching(world));
  const { metrics } = world.context;
  t.regex(await metrics.render(), /relay_kube_cache_ready\{kind="Gadget"\} 1/);
  await world.server.goDown();
  await world.pass(2_000);
  t.regex(await metrics.render(), /relay_kube_cache_ready\{kind="Gadget"\} 0/);
  await world.server.comeUp();
  await world.until(watching(world));
  t.regex(await metrics.render(), /relay_kube_cache_ready\{kind="Gadget"\} 1/);
  t.regex(await metrics.render(), /relay_kube_watch_ends_total\{kind="Gadget",reason="failed"\} [1-9]/);
});
