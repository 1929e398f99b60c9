import { fc } from '@fast-check/ava';
import test, { type ExecutionContext } from 'ava';
import { gadgetsOf, startKubeHarness, type KubeHarness } from '../test/kube-harness.ts';
import type { EventFault, RequestFault } from '../testing/api-server.ts';
import type { Informer } from './informer.ts';

const isList = { path: 'gadgets', watch: false } as const;
const isWatch = { path: 'gadgets', watch: true } as const;
const namesIn = ({ cache }: Informer): readonly string[] => cache.values().map(({ metadata }) => metadata.name);

/** Names and versions of all that is stored, or known. */
const stored = ({ server }: KubeHarness): readonly string[] =>
  server.store.all(gadgetsOf).map((object) => {
    const { name, resourceVersion } = object['metadata'] as { name: string; resourceVersion: string };
    return `${name} ${resourceVersion}`;
  });
const known = ({ cache }: Informer): readonly string[] =>
  cache.values().map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`);
const isCurrent = (harness: KubeHarness, informer: Informer): boolean =>
  stored(harness).toSorted().join() === known(informer).toSorted().join();

const start = async (t: ExecutionContext) => {
  const harness = await startKubeHarness(t);
  for (const name of ['a', 'b']) harness.make(name);
  const informer = harness.follow();
  const told: string[] = [];
  informer.onChange(({ metadata }) => told.push(metadata.name));
  return { harness, informer, told };
};

const synced = async ({ harness, informer }: Awaited<ReturnType<typeof start>>): Promise<void> => {
  await harness.until(() => informer.synced() && harness.server.watches() === 1, 'the first list');
};

test('the first list is told, then every change once, after the cache shows it', async (t) => {
  const started = await start(t);
  const { harness, informer, told } = started;
  t.false(informer.synced());
  await synced(started);
  await informer.whenSynced();
  t.deepEqual(told, ['a', 'b']);
  harness.make('c');
  harness.change('a', 1);
  harness.remove('b');
  await harness.until(() => told.length === 5, 'all changes');
  t.deepEqual(told.slice(2), ['c', 'a', 'b']);
  t.deepEqual([...namesIn(informer)].toSorted(), ['a', 'c']);
  t.is(informer.cache.get('park/b'), undefined);
  t.deepEqual(informer.cache.get('park/a')?.spec, { n: 1 });
});

for (const fault of ['cut', 'garbage', 'swallow', 'gone', 'error', 'end'] as const satisfies readonly EventFault[])
  test(`a watch that breaks (${fault}) loses no change and no deletion`, async (t) => {
    const started = await start(t);
    const { harness, informer, told } = started;
    await synced(started);
    harness.server.onEvent(fault);
    harness.change('a', 1);
    harness.remove('b');
    await harness.until(() => isCurrent(harness, informer), 'the last state');
    t.true(told.slice(2).includes('a'));
    t.true(told.slice(2).includes('b'));
  });

for (const fault of [
  { kind: 'status', status: 503 },
  { kind: 'status', status: 403 },
  { kind: 'status', status: 401 },
  { kind: 'reset' },
] as const satisfies readonly RequestFault[])
  test(`a list or a watch that is refused (${JSON.stringify(fault)}) is tried again, less and less often`, async (t) => {
    for (const scope of [isList, isWatch]) {
      const started = await start(t);
      const { harness, informer } = started;
      harness.server.onRequest(fault, { ...scope, count: 5 });
      const before = harness.clock.monotonic();
      await synced(started);
      const passed = harness.clock.monotonic() - before;
      t.true(passed >= 0.8 * (500 + 1_000 + 2_000 + 4_000) && passed < 30_000, String(passed));
      harness.make('c');
      await harness.until(() => isCurrent(harness, informer), 'the last state');
    }
  });

test('a wait that the server asks for is kept', async (t) => {
  const started = await start(t);
  started.harness.server.onRequest({ kind: 'status', status: 429, retryAfter: 45 }, isList);
  await synced(started);
  t.true(started.harness.clock.monotonic() >= 45_000);
});

test('a list that never comes is given up, and a late one is not taken', async (t) => {
  const started = await start(t);
  const { harness, informer } = started;
  harness.server.onRequest({ kind: 'hold' }, isList);
  await synced(started);
  harness.server.release();
  await harness.pass(5_000);
  t.is(harness.server.watches(), 1);
  t.true(isCurrent(harness, informer));
});

test('while the server is away the last copy stays, and the metric says that it is old', async (t) => {
  const started = await start(t);
  const { harness, informer } = started;
  const isReady = async (): Promise<boolean> =>
    /relay_kube_cache_ready\{kind="Gadget"\} 1/.test(await harness.context.metrics.render());
  await synced(started);
  t.true(await isReady());
  await harness.server.goDown();
  harness.remove('b');
  await harness.pass(30_000);
  t.false(await isReady());
  t.true(informer.synced());
  t.deepEqual(namesIn(informer), ['a', 'b']);
  await harness.server.comeUp();
  await harness.until(() => isCurrent(harness, informer), 'the last state');
  t.true(await isReady());
});

test('once a minute all is listed again, and one watch is open at a time', async (t) => {
  const started = await start(t);
  const { harness, told } = started;
  await synced(started);
  await harness.pass(300_000);
  const lists = harness.server.requests.filter(({ watch }) => !watch).length;
  t.true(lists >= 5 && lists <= 8, String(lists));
  await harness.until(() => harness.server.watches() === 1, 'one watch');
  t.deepEqual(told, ['a', 'b']);
});

test('at the end nothing is under way', async (t) => {
  const started = await start(t);
  await synced(started);
  await started.informer.stop();
  await started.harness.until(() => started.harness.server.watches() === 0, 'no watch');
  const { length } = started.harness.server.requests;
  await started.harness.pass(120_000);
  t.is(started.harness.server.requests.length, length);
});

type Op = 'make' | 'change' | 'remove' | 'second' | EventFault | 'refuse';
const op = fc.constantFrom<Op>(
  ...(['make', 'make', 'change', 'change', 'remove', 'second', 'second'] as const),
  ...(['cut', 'garbage', 'swallow', 'gone', 'error', 'end', 'refuse'] as const),
);

test('whatever changes and breaks, the copy is that of the server two minutes later', async (t) => {
  await fc.assert(
    fc.asyncProperty(fc.array(op, { minLength: 5, maxLength: 25 }), async (ops) => {
      const ends: (() => unknown)[] = [];
      const harness = await startKubeHarness({ teardown: (end) => void ends.unshift(end) });
      const informer = harness.follow();
      const told = new Map<string, string | undefined>();
      informer.onChange(({ metadata: { name } }) =>
        told.set(name, informer.cache.get(`park/${name}`)?.metadata.resourceVersion),
      );
      let n = 0;
      for (const each of ops) {
        const [first] = harness.server.store.all(gadgetsOf) as unknown as readonly { metadata: { name: string } }[];
        if (each === 'make') harness.make(`g${(n += 1)}`);
        else if (each === 'change') harness.change(first?.metadata.name, (n += 1));
        else if (each === 'remove') harness.remove(first?.metadata.name);
        else if (each === 'second') await harness.pass(1_000);
        else if (each === 'refuse') harness.server.onRequest({ kind: 'status', status: 500 }, { path: 'gadgets' });
        else harness.server.onEvent(each);
      }
      harness.server.clearFaults();
      await harness.pass(120_000);
      const isRight = isCurrent(harness, informer);
      const last = [...told].flatMap(([name, version]) => (version === undefined ? [] : [`${name} ${version}`]));
      const isTold = last.toSorted().join() === stored(harness).toSorted().join();
      for (const end of ends) await end();
      if (!isRight || !isTold) throw new Error(`${JSON.stringify(ops)}: ${isRight} ${isTold}`);
    }),
    { numRuns: 10 },
  );
  t.pass();
});
