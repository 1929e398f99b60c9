import { setTimeout as wait } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import { testContext, manualClock, seededRandom, type ManualClock } from '@ranger-relay/runtime/testing';
import type { Context } from '@ranger-relay/runtime';
import { createKubeApi } from '../api/create.ts';
import type { KubeApi } from '../api/port.ts';
import type { Resource } from '../api/resource.ts';
import type { KubeTransport } from '../api/transport.ts';
import { createHttpTransport } from '../http/transport.ts';
import { openAccess } from '../testing/open-access.ts';
import { startApiServer, type ApiServer, type ApiServerOptions } from '../testing/api-server/server.ts';

/** A kind that only tests have. */
export const gadgets: Resource = {
  group: 'example.test',
  version: 'v1',
  plural: 'gadgets',
  kind: 'Gadget',
  namespaced: true,
};

export const gadgetsPath = '/apis/example.test/v1/namespaces/park/gadgets';

/** A gadget as it is sent. */
export const gadget = (
  name: string,
  spec: unknown = {},
  labels: Record<string, string> = {},
): Record<string, unknown> => ({
  apiVersion: 'example.test/v1',
  kind: 'Gadget',
  metadata: { name, namespace: 'park', ...(Object.keys(labels).length > 0 ? { labels } : {}) },
  spec,
});

/** A real server, a real connection, and time that moves when nothing is under way. */
export interface Harness {
  readonly server: ApiServer;
  readonly clock: ManualClock;
  readonly context: Context;
  readonly transport: KubeTransport;
  readonly api: KubeApi;
  /** Lets things happen until it holds; time moves by `stepMs` whenever no call is under way but held ones. Fails after an hour of that time. */
  until(holds: () => boolean, what?: string, stepMs?: number): Promise<void>;
  /** Lets so much time pass, and what happens in it. */
  pass(ms: number, stepMs?: number): Promise<void>;
}

const hourMs = 3_600_000;

/** Counts the calls that wait for their answer. */
const counting = (transport: KubeTransport): KubeTransport & { underWay: () => number } => {
  let underWay = 0;
  const count = async <T>(work: Promise<T>): Promise<T> => {
    underWay += 1;
    try {
      return await work;
    } finally {
      underWay -= 1;
    }
  };
  return {
    underWay: () => underWay,
    call: (request) => count(transport.call(request)),
    open: (request) => count(transport.open(request)),
    close: () => transport.close(),
  };
};

/** Starts a world that ends with the test. */
export const startHarness = async (t: ExecutionContext, options: ApiServerOptions = {}): Promise<Harness> => {
  const clock = manualClock();
  const server = await startApiServer({ kinds: [gadgets], now: () => clock.now(), ...options });
  const transport = counting(createHttpTransport({ access: openAccess(server.url), clock, userAgent: 'kit/test' }));
  const context = testContext({ clock, random: seededRandom(11) });
  t.teardown(async () => {
    transport.close();
    await server.close();
  });

  /** What travels over the loopback has arrived when nothing was heard for some turns. */
  const settle = async (): Promise<void> => {
    for (let quiet = 0; quiet < 3; quiet += 1) {
      const before = `${server.requests.length} ${transport.underWay()}`;
      await wait(1);
      if (before !== `${server.requests.length} ${transport.underWay()}` || transport.underWay() > server.held())
        quiet = -1;
    }
  };

  const move = async (passed: () => boolean, what: string, stepMs: number, most: number): Promise<void> => {
    const limit = clock.monotonic() + most;
    while (!passed()) {
      await settle();
      if (passed()) return;
      if (clock.monotonic() >= limit) throw new Error(`never: ${what}`);
      await clock.advance(stepMs);
    }
  };

  return {
    server,
    clock,
    context,
    transport,
    api: createKubeApi({ transport, metrics: context.metrics }),
    until: (holds, what = 'what was waited for', stepMs = 250) => move(holds, what, stepMs, hourMs),
    async pass(ms, stepMs = 250) {
      const end = clock.monotonic() + ms;
      await move(() => clock.monotonic() >= end, 'the end', stepMs, Infinity);
      await settle();
    },
  };
};
