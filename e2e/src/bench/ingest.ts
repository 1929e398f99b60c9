import { totalOf, type PlatformProcess } from '../harness/platform.ts';
import { startChild } from './child.ts';
import { startLoader, type Shape } from './load.ts';
import { files, type Stores } from './stores.ts';
import type { Figure } from './table.ts';

/** Ingest against a bare server: CPU per request or event, and the latency at half the maximum rate. */
export const benchIngest = async (
  platform: PlatformProcess,
  integration: string,
  facts: object,
  seconds: number,
  stores: Stores = files,
): Promise<Figure[]> => {
  const load = await startLoader();
  const bare = await startChild<{ port: number }>('./bare-child.ts');
  const ingester = await startChild<{ url: string; token: string }>(
    './ingester-child.ts',
    [integration, JSON.stringify(facts)],
    stores.env,
  );
  try {
    const bareTarget = { url: `http://127.0.0.1:${bare.ready.port}/`, headers: {} };
    const target = { url: ingester.ready.url, headers: { 'x-outbound-auth-token': ingester.ready.token } };
    const shape = (eventsPerPost: number): Shape => ({ bodies: { kind: 'events', eventsPerPost }, seconds });
    const callsOf = async (): Promise<number> => totalOf((await platform.stats()).calls);
    await load.once(target, { ...shape(1), seconds: 0.2 }, 1);
    const callsBefore = await callsOf();
    const oneBare = await load.measure(bare.pid, bareTarget, shape(1));
    const one = await load.measure(ingester.pid, target, shape(1));
    const half = await load.measure(ingester.pid, target, { ...shape(1), rate: one.postsPerSecond / 2 });
    const manyBare = await load.measure(bare.pid, bareTarget, shape(100));
    const many = await load.measure(ingester.pid, target, shape(100));
    const calls = (await callsOf()) - callsBefore;
    return [
      {
        name: `${stores.title}ingest, 1 event a POST: CPU per request`,
        unit: 'µs',
        value: one.cpuMicrosPerPost,
        bare: oneBare.cpuMicrosPerPost,
        bound: '≤ 5 × bare',
        holds: one.cpuMicrosPerPost <= 5 * oneBare.cpuMicrosPerPost,
      },
      {
        name: `${stores.title}ingest, 100 events a POST: CPU per event`,
        unit: 'µs',
        value: many.cpuMicrosPerPost / 100,
        bare: manyBare.cpuMicrosPerPost / 100,
        bound: '≤ 12 × bare',
        holds: many.cpuMicrosPerPost <= 12 * manyBare.cpuMicrosPerPost,
      },
      {
        name: `${stores.title}ingest, 1 event a POST: most`,
        unit: 'POSTs/s',
        value: one.postsPerSecond,
        bare: oneBare.postsPerSecond,
      },
      {
        name: `${stores.title}ingest, 100 events a POST: most`,
        unit: 'events/s',
        value: many.postsPerSecond * 100,
        bare: manyBare.postsPerSecond * 100,
      },
      {
        name: `${stores.title}ingest at half the most: p99`,
        unit: 'ms',
        value: half.p99Ms,
        bound: '≤ 50 ms',
        holds: half.p99Ms <= 50,
      },
      {
        name: `${stores.title}ingest: outgoing calls in steady state`,
        unit: 'calls',
        value: calls,
        bound: '0 a POST (a reload a minute)',
        holds: calls <= 3,
      },
      { name: `${stores.title}ingester: memory under load`, unit: 'MB', value: many.rssBytes / 1e6 },
    ];
  } finally {
    await Promise.all([load.end(), bare.end(), ingester.end()]);
  }
};
