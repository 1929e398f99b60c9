import type { PlatformProcess } from '../harness/platform.ts';
import { startChild, type BenchChild } from './child.ts';
import { usageOf } from './proc.ts';
import { files, type Stores } from './stores.ts';
import type { Figure } from './table.ts';

interface Load {
  readonly posts: number;
  readonly failed: number;
  readonly seconds: number;
  readonly latencies: readonly number[];
}

/** A server under load and what it cost. */
interface Cost {
  readonly cpuMicrosPerPost: number;
  readonly postsPerSecond: number;
  readonly p99Ms: number;
  readonly rssBytes: number;
}

const connections = 64;

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;

const loadOnce = async (load: BenchChild<string>, order: object): Promise<Load> => {
  const answer = load.next<Load>();
  load.tell(order);
  const result = await answer;
  if (result.failed > 0) throw new Error(`${result.failed} POSTs were not answered with 200`);
  return result;
};

const measure = async (
  load: BenchChild<string>,
  pid: number,
  target: { url: string; token: string },
  shape: { eventsPerPost: number; seconds: number; rate?: number },
): Promise<Cost> => {
  await loadOnce(load, { ...target, ...shape, connections, seconds: Math.min(2, shape.seconds) });
  const before = usageOf(pid);
  const result = await loadOnce(load, { ...target, ...shape, connections });
  const after = usageOf(pid);
  return {
    cpuMicrosPerPost: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / result.posts,
    postsPerSecond: result.posts / result.seconds,
    p99Ms: quantile(result.latencies, 0.99),
    rssBytes: after.rssBytes,
  };
};

/** Ingest against a bare server: CPU per request or event, and the latency at half the maximum rate. */
export const benchIngest = async (
  platform: PlatformProcess,
  integration: string,
  facts: object,
  seconds: number,
  stores: Stores = files,
): Promise<Figure[]> => {
  const load = await startChild<string>('./load-child.ts');
  const bare = await startChild<{ port: number }>('./bare-child.ts');
  const ingester = await startChild<{ url: string; token: string }>(
    './ingester-child.ts',
    [integration, JSON.stringify(facts)],
    stores.env,
  );
  try {
    const bareTarget = { url: `http://127.0.0.1:${bare.ready.port}/`, token: 'none' };
    const callsOf = async (): Promise<number> =>
      Object.values((await platform.stats()).calls).reduce((sum, n) => sum + n, 0);
    await loadOnce(load, { ...ingester.ready, eventsPerPost: 1, connections: 1, seconds: 0.2 });
    const callsBefore = await callsOf();
    const oneBare = await measure(load, bare.pid, bareTarget, { eventsPerPost: 1, seconds });
    const one = await measure(load, ingester.pid, ingester.ready, { eventsPerPost: 1, seconds });
    const half = await measure(load, ingester.pid, ingester.ready, {
      eventsPerPost: 1,
      seconds,
      rate: one.postsPerSecond / 2,
    });
    const manyBare = await measure(load, bare.pid, bareTarget, { eventsPerPost: 100, seconds });
    const many = await measure(load, ingester.pid, ingester.ready, { eventsPerPost: 100, seconds });
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
