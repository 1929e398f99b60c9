import { RelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import type { Key } from '../api/object.ts';
import type { Result } from '../queue/work-queue.ts';
import { gadget, gadgets, gadgetsPath, startHarness, type Harness } from '../test/harness.ts';
import { createInformer, type Informer } from '../watch/informer.ts';
import { createController, type Controller, type ControllerOptions } from './controller.ts';
import { objectsOf, ownedBy, relatedTo } from './sources.ts';

const jobs = { group: 'batch', version: 'v1', plural: 'jobs', kind: 'Job', namespaced: true };
const done: Result = { kind: 'done' };

const informerOf = (t: ExecutionContext, harness: Harness, resource = gadgets): Informer => {
  const { api, clock, context } = harness;
  const { random, log, metrics } = context;
  const informer = createInformer({ api, clock, random, log, metrics, resource });
  t.teardown(() => informer.stop());
  informer.start();
  return informer;
};

interface Running {
  readonly controller: Controller;
  readonly stop: AbortController;
  readonly lose: AbortController;
  readonly ended: Promise<void>;
}

const run = (
  harness: Harness,
  options: Pick<ControllerOptions, 'sources' | 'reconcile'> & Partial<ControllerOptions>,
): Running => {
  const { clock, random, log, metrics } = harness.context;
  const controller = createController({ name: 'gadgets', clock, random, log, metrics, ...options });
  const [stop, lose] = [new AbortController(), new AbortController()];
  return { controller, stop, lose, ended: controller.run({ stopping: stop.signal, lost: lose.signal }) };
};

test('nothing is reconciled before everything is known, then every object once', async (t) => {
  const harness = await startHarness(t);
  for (const name of ['a', 'b', 'c']) harness.server.call('POST', gadgetsPath, gadget(name));
  const [objects, owned] = [informerOf(t, harness), informerOf(t, harness, jobs)];
  await harness.until(() => objects.synced());
  const seen: Key[] = [];
  harness.server.faults.onRequest({ kind: 'hold' }, { path: 'jobs' });
  const late = informerOf(t, harness, jobs);
  run(harness, {
    sources: [objectsOf(objects), ownedBy(gadgets, owned), ownedBy(gadgets, late)],
    reconcile: async (key) => {
      seen.push(key);
      return done;
    },
  });
  await harness.until(() => harness.server.held() === 1);
  await harness.pass(5_000);
  t.deepEqual(seen, []);
  harness.server.release();
  await harness.until(() => seen.length === 3);
  await harness.pass(5_000);
  t.deepEqual(seen.toSorted(), ['park/a', 'park/b', 'park/c']);
});

test('a change of an object, of what it owns, and of what it names leads to a run of it', async (t) => {
  const harness = await startHarness(t);
  const { server } = harness;
  server.call('POST', gadgetsPath, gadget('a'));
  const seen: Key[] = [];
  const configs = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
  run(harness, {
    sources: [
      objectsOf(informerOf(t, harness)),
      ownedBy(gadgets, informerOf(t, harness, jobs)),
      relatedTo(informerOf(t, harness, configs), ({ metadata }) => [`park/${metadata.name}`]),
    ],
    reconcile: async (key) => {
      seen.push(key);
      return done;
    },
  });
  await harness.until(() => seen.length === 1 && server.watches.count() === 3);
  const { uid } = server.call('GET', `${gadgetsPath}/a`)['metadata'] as { uid: string };
  const ownerReferences = [{ apiVersion: 'example.test/v1', kind: 'Gadget', name: 'a', uid, controller: true }];
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'j', namespace: 'park', ownerReferences } };
  const config = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'park' } };
  const changes: (() => unknown)[] = [
    () => server.call('POST', '/apis/batch/v1/namespaces/park/jobs', job),
    () => server.call('DELETE', '/apis/batch/v1/namespaces/park/jobs/j'),
    () => server.call('POST', '/api/v1/namespaces/park/configmaps', config),
    () => server.call('PATCH', `${gadgetsPath}/a`, { spec: { n: 1 } }),
    () => server.call('DELETE', `${gadgetsPath}/a`),
  ];
  for (const [n, change] of changes.entries()) {
    change();
    await harness.until(() => seen.length === n + 2, `run ${n}`);
  }
  t.deepEqual(new Set(seen), new Set(['park/a']));
});

test('a run that fails comes again after its back-off, and is counted by its code', async (t) => {
  const harness = await startHarness(t);
  harness.server.call('POST', gadgetsPath, gadget('a'));
  const at: number[] = [];
  run(harness, {
    sources: [objectsOf(informerOf(t, harness))],
    reconcile: () => {
      at.push(harness.clock.monotonic());
      if (at.length <= 3) throw new RelayError('kube_conflict');
      return Promise.resolve(done);
    },
  });
  await harness.until(() => at.length === 4, 'four runs', 50);
  const waits = at.slice(1).map((time, n) => time - (at[n] ?? 0));
  for (const [n, wait] of waits.entries()) t.true(wait >= 800 * 2 ** n && wait <= 1_300 * 2 ** n, String(waits));
  const text = await harness.context.metrics.render();
  t.regex(text, /relay_reconciles_total\{controller="gadgets",outcome="kube_conflict"\} 3/);
  t.regex(text, /relay_reconciles_total\{controller="gadgets",outcome="done"\} 1/);
});

test('a run that takes too long is told, and its object runs nowhere else meanwhile', async (t) => {
  const harness = await startHarness(t);
  harness.server.call('POST', gadgetsPath, gadget('a'));
  let open = 0;
  let runs = 0;
  let told: unknown;
  const release = Promise.withResolvers<Result>();
  run(harness, {
    sources: [objectsOf(informerOf(t, harness))],
    runMs: 5_000,
    reconcile: async (_, signal) => {
      runs += 1;
      open += 1;
      t.is(open, 1);
      signal.addEventListener('abort', () => (told = signal.reason));
      const result = runs === 1 ? await release.promise : done;
      open -= 1;
      return result;
    },
  });
  await harness.until(() => runs === 1);
  harness.server.call('PATCH', `${gadgetsPath}/a`, { spec: { n: 1 } });
  await harness.pass(10_000);
  t.like(told, { code: 'deadline_exceeded' });
  t.is(runs, 1);
  release.resolve(done);
  await harness.until(() => runs === 2);
});

test('an end in order lets what runs finish and begins nothing more', async (t) => {
  const harness = await startHarness(t);
  for (const name of ['a', 'b']) harness.server.call('POST', gadgetsPath, gadget(name));
  const finished: Key[] = [];
  const { stop, ended } = run(harness, {
    sources: [objectsOf(informerOf(t, harness))],
    concurrency: 1,
    reconcile: async (key, signal) => {
      await harness.clock.sleep(3_000, signal);
      finished.push(key);
      return done;
    },
  });
  await harness.until(() => harness.server.watches.count() === 1);
  await harness.pass(1_000);
  stop.abort();
  await harness.pass(5_000);
  await ended;
  t.deepEqual(finished, ['park/a']);
});

test('what runs when the lease is lost is told at once, also while the controller was ending in order', async (t) => {
  for (const inOrderFirst of [false, true]) {
    const harness = await startHarness(t);
    harness.server.call('POST', gadgetsPath, gadget('a'));
    let told = false;
    const { stop, lose, ended } = run(harness, {
      sources: [objectsOf(informerOf(t, harness))],
      reconcile: async (_, signal) => {
        await harness.clock.sleep(30_000, signal).finally(() => (told = signal.aborted));
        return done;
      },
    });
    await harness.until(() => harness.server.watches.count() === 1);
    await harness.pass(1_000);
    if (inOrderFirst) stop.abort();
    await harness.pass(500);
    t.false(told);
    lose.abort();
    await harness.pass(0);
    await ended;
    t.true(told);
  }
});

test('the end of a term waits for a run that does not listen, so that nobody else begins beside it', async (t) => {
  const harness = await startHarness(t);
  harness.server.call('POST', gadgetsPath, gadget('a'));
  const release = Promise.withResolvers<Result>();
  let begun = false;
  let over = false;
  const { lose, ended } = run(harness, {
    sources: [objectsOf(informerOf(t, harness))],
    drainMs: 2_000,
    reconcile: () => {
      begun = true;
      return release.promise;
    },
  });
  void ended.then(() => (over = true));
  await harness.until(() => begun);
  lose.abort();
  await harness.pass(60_000, 5_000);
  t.false(over);
  release.resolve(done);
  await ended;
  t.pass();
});

test('a term that is over before anything is known ends at once', async (t) => {
  const harness = await startHarness(t);
  harness.server.faults.onRequest({ kind: 'hold' });
  const { stop, ended } = run(harness, {
    sources: [objectsOf(informerOf(t, harness))],
    reconcile: () => Promise.resolve(done),
  });
  stop.abort();
  await ended;
  t.pass();
});

test('each term begins with all objects', async (t) => {
  const harness = await startHarness(t);
  harness.server.call('POST', gadgetsPath, gadget('a'));
  const seen: Key[] = [];
  const { controller, stop, ended } = run(harness, {
    sources: [objectsOf(informerOf(t, harness))],
    reconcile: async (key) => {
      seen.push(key);
      return done;
    },
  });
  await harness.until(() => seen.length === 1);
  stop.abort();
  await ended;
  const again = new AbortController();
  const second = controller.run({ stopping: again.signal, lost: new AbortController().signal });
  await harness.until(() => seen.length === 2);
  again.abort();
  await second;
  t.deepEqual(seen, ['park/a', 'park/a']);
});

test('two hundred objects: as many runs, and no call but lists and watches', async (t) => {
  const harness = await startHarness(t);
  for (let n = 0; n < 200; n += 1) harness.server.call('POST', gadgetsPath, gadget(`g${n}`));
  let runs = 0;
  run(harness, {
    sources: [objectsOf(informerOf(t, harness))],
    reconcile: async () => {
      runs += 1;
      return done;
    },
  });
  await harness.until(() => runs === 200);
  await harness.pass(60_000, 5_000);
  t.is(runs, 200);
  t.is(harness.server.requests.length, 2);
});
