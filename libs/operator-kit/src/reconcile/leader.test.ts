import test from 'ava';
import { createElector, type Elector } from '../lease/elector.ts';
import { gadget, gadgets, gadgetsPath, startHarness, type Harness } from '../test/harness.ts';
import { createInformer } from '../watch/informer.ts';
import { createController } from './controller.ts';
import { objectsOf } from './sources.ts';

interface Replica {
  readonly elector: Elector;
  readonly stop: (graceMs: number) => Promise<void>;
}

/** One process: a copy of the objects, a controller, and an elector that lets it work. */
const replica = (harness: Harness, identity: string, reconcile: (key: string) => Promise<void>): Replica => {
  const { api, clock, context } = harness;
  const { random, log, metrics } = context;
  const informer = createInformer({ api, resource: gadgets, clock, random, log, metrics });
  const controller = createController({
    name: 'gadgets',
    clock,
    random,
    log,
    metrics,
    sources: [objectsOf(informer)],
    reconcile: async (key) => {
      await reconcile(`${identity} ${key}`);
      return { kind: 'done' };
    },
  });
  const elector = createElector({
    api,
    clock,
    random,
    log,
    metrics,
    lease: { namespace: 'park', name: 'gadgets' },
    identity,
    lead: (term) => controller.run(term),
  });
  informer.start();
  elector.start();
  const stop = async (graceMs: number): Promise<void> => {
    await elector.stop(graceMs);
    await informer.stop();
  };
  return { elector, stop };
};

test('one of two processes works; when it stops in order the other one goes on within seconds, and no object is in two hands', async (t) => {
  const harness = await startHarness(t);
  for (const name of ['a', 'b', 'c']) harness.server.call('POST', gadgetsPath, gadget(name));
  const open = new Set<string>();
  const runs: string[] = [];
  const reconcile = async (run: string): Promise<void> => {
    const key = run.split(' ')[1] ?? '';
    t.false(open.has(key), key);
    open.add(key);
    runs.push(run);
    await harness.clock.sleep(1_000);
    open.delete(key);
  };
  const replicas = [replica(harness, 'one', reconcile), replica(harness, 'two', reconcile)];
  await harness.until(() => runs.length === 3);
  await harness.pass(2_000);
  const first = replicas.find(({ elector }) => elector.leading());
  const second = replicas.find((each) => each !== first);
  t.is(new Set(runs.map((run) => run.split(' ')[0])).size, 1);
  harness.server.call('PATCH', `${gadgetsPath}/a`, { spec: { n: 1 } });
  await harness.until(() => runs.length === 4);
  const since = harness.clock.monotonic();
  const stopped = first?.stop(10_000);
  await harness.until(() => runs.length === 7);
  t.true(harness.clock.monotonic() - since <= 6_000);
  await stopped;
  t.true(second?.elector.leading());
  const ended = second?.stop(10_000);
  await harness.pass(3_000);
  await ended;
});
