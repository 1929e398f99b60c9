import { totalOf, type PlatformProcess } from '../harness/platform.ts';
import { startChild } from './child.ts';
import { startLoader, type Shape } from './load.ts';
import { files, type Stores } from './stores.ts';
import { atMost, atMostBare, type Figure } from './table.ts';

/** Ingest against a bare server: CPU per request or event, and the latency at half the maximum rate. */
export const benchIngest = async (
  platform: PlatformProcess,
  integration: string,
  seconds: number,
  stores: Stores = files,
): Promise<Figure[]> => {
  const load = await startLoader();
  const bare = await startChild<{ port: number }>('./bare-child.ts', ['events']);
  const env = { ...platform.env, ...stores.env };
  const ingester = await startChild<{ url: string; token: string }>('./ingester-child.ts', [integration], env);
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
    const name = `${stores.title}ingest`;
    const [perEvent, bareEvent] = [many.cpuMicrosPerPost / 100, manyBare.cpuMicrosPerPost / 100];
    const [mostPosts, mostEvents] = [one.postsPerSecond, many.postsPerSecond * 100];
    const [barePosts, bareEvents] = [oneBare.postsPerSecond, manyBare.postsPerSecond * 100];
    return [
      atMostBare(`${name}, 1 event a POST: CPU per request`, 'µs', one.cpuMicrosPerPost, oneBare.cpuMicrosPerPost, 5),
      atMostBare(`${name}, 100 events a POST: CPU per event`, 'µs', perEvent, bareEvent, 12),
      { name: `${name}, 1 event a POST: most`, unit: 'POSTs/s', value: mostPosts, bare: barePosts },
      { name: `${name}, 100 events a POST: most`, unit: 'events/s', value: mostEvents, bare: bareEvents },
      atMost(`${name} at half the most: p99`, 'ms', half.p99Ms, 50),
      // A reload a minute, and none a POST.
      atMost(`${name}: outgoing calls in steady state`, 'calls', calls, 3),
      { name: `${stores.title}ingester: memory under load`, unit: 'MB', value: many.rssBytes / 1e6 },
    ];
  } finally {
    await Promise.all([load.end(), bare.end(), ingester.end()]);
  }
};
