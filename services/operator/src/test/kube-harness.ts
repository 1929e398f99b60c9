import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import type { Context } from '@ranger-relay/runtime';
import { type ManualClock, manualClock, seededRandom, testContext } from '@ranger-relay/runtime/testing';
import type { KubeClient } from '../kube/client.ts';
import { createInformer, type Informer, type Source } from '../kube/informer.ts';
import type { Resource } from '../kube/object.ts';
import { type ApiServer, startApiServer } from '../testing/api-server.ts';
import { connect } from '../testing/connect.ts';

/** A kind that only tests have. */
export const gadgets: Resource = { group: 'example.test', version: 'v1', plural: 'gadgets', kind: 'Gadget' };
export const gadgetsOf = 'example.test/v1/gadgets';
export const gadgetsPath = '/apis/example.test/v1/namespaces/park/gadgets';

/** A server, the client of the operator, and time that moves when nothing is under way. */
export interface KubeHarness {
  readonly server: ApiServer;
  readonly clock: ManualClock;
  readonly context: Context;
  readonly client: KubeClient;
  make(name: string): void;
  /** Nothing happens without a name. */
  change(name: string | undefined, n: number): void;
  /** Nothing happens without a name. */
  remove(name: string | undefined): void;
  /** Starts an informer of all gadgets. */
  follow(): Informer;
  /** Lets time pass until it holds. */
  until(holds: () => boolean, what?: string): Promise<void>;
  pass(ms: number): Promise<void>;
}

const maxMs = 3_600_000;

export const startKubeHarness = async (t: Pick<ExecutionContext, 'teardown'>): Promise<KubeHarness> => {
  const clock = manualClock();
  const server = await startApiServer(t, { now: () => clock.now() });
  const context = testContext({ clock, random: seededRandom(11) });
  const client = await connect(server.url, context);
  const source: Source = {
    kind: 'Gadget',
    path: gadgetsPath,
    list: () => client.custom.listNamespacedCustomObject({ ...gadgets, namespace: 'park' }),
  };

  const move = async (isOver: () => boolean, what: string, stepMs: number): Promise<void> => {
    for (const limit = clock.monotonic() + maxMs; !isOver();) {
      // What travels over the loopback arrives in real time.
      for (let turn = 0; turn < 3 && !isOver(); turn += 1) await wait(1);
      if (isOver()) return;
      if (clock.monotonic() >= limit) throw new Error(`never: ${what}`);
      await clock.advance(stepMs);
    }
  };

  return {
    server,
    clock,
    context,
    client,
    make: (name) => void server.call('POST', gadgetsPath, { metadata: { name, namespace: 'park' }, spec: {} }),
    change: (name, n) => void (name && server.call('PATCH', `${gadgetsPath}/${name}`, { spec: { n } })),
    remove: (name) => void (name && server.call('DELETE', `${gadgetsPath}/${name}`)),
    follow() {
      const informer = createInformer({ ...context, client, source });
      t.teardown(() => informer.stop());
      informer.start();
      return informer;
    },
    until: (holds, what = 'what was waited for') => move(holds, what, 250),
    async pass(ms) {
      const end = clock.monotonic() + ms;
      await move(() => clock.monotonic() >= end, 'the end', 1_000);
    },
  };
};
