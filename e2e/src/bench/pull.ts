import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster, type Replica } from '../harness/cluster.ts';
import type { PlatformProcess } from '../harness/platform.ts';
import { postJson } from '../harness/traffic.ts';
import { startChild, type BenchChild } from './child.ts';
import { usageOf } from './proc.ts';
import { atLeast, atMost, type Figure } from './table.ts';

const token = 'bench-token';
const park = 'eeeeeeee-0000-4000-8000-000000000001';
const days = 20;
const pageSize = 100;

const storedOf = async (platform: PlatformProcess): Promise<number> =>
  (await platform.stats()).items['observation']?.['stored'] ?? 0;

/** One pull of everything, as a person would start it. */
const pull = async (url: string): Promise<unknown> => {
  const answer = await postJson(url, token, { integration_id: park, action_id: 'pull_observations' });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
};

const maxMemory = (pid: number) => {
  let max = 0;
  const look = setInterval(() => (max = Math.max(max, usageOf(pid).rssBytes / 1e6)), 100);
  return () => {
    clearInterval(look);
    return max;
  };
};

/** Action runner, and the observations that it pulled. */
interface Puller {
  readonly url: string;
  /** Processes whose memory is looked at. */
  readonly pids: Readonly<Record<string, number>>;
}

/** Memory of each process of a pull, MB. */
const memoryFigures = (what: string, memory: Readonly<Record<string, number>>): Figure[] =>
  Object.entries(memory).map(([process, value]) => {
    const [name, unit] = [`${what}: memory of the ${process} at most`, 'MB'];
    return process === 'action runner' ? atMost(name, unit, value, 200) : { name, unit, value };
  });

/** A backfill from a simulated site through the bus and the forwarder into the simulated platform. */
const measure = async (platform: PlatformProcess, count: number, title: string, start: () => Promise<Puller>) => {
  const site = await startChild<{ url: string; token: string }>('./site-data-child.ts', [String(count), String(days)]);
  try {
    await platform.control('POST', `integrations/${park}`, {
      type: 'site_connector',
      base_url: site.ready.url,
      configurations: {
        auth: { authentication_type: 'token', token: site.ready.token },
        pull_observations: { start_datetime: '2026-01-01T00:00:00Z', end_datetime: '2026-01-21T00:00:00Z' },
      },
    });
    const { url, pids } = await start();
    const before = await storedOf(platform);
    const looks = Object.entries(pids).map(([name, pid]) => [name, maxMemory(pid)] as const);
    const begin = performance.now();
    const result = (await pull(url)) as { status?: string };
    if (result.status !== 'complete') throw new Error(JSON.stringify(result));
    const pulled = (performance.now() - begin) / 1000;
    while ((await storedOf(platform)) - before < count) await sleep(100);
    const seconds = (performance.now() - begin) / 1000;
    const memory = Object.fromEntries(looks.map(([name, max]) => [name, max()]));
    const ratio = (await site.ask<number>('count')) / (days * Math.ceil(count / days / pageSize));
    const what = `${title}pull of ${count.toLocaleString('en')} observations`;
    return [
      atLeast(`${what}, site to platform`, 'observations/s', count / seconds, 2_000),
      { name: `${what}, site to bus`, unit: 'observations/s', value: count / pulled },
      atMost(`${what}: calls of the site`, 'of the necessary', ratio, 1.05),
      ...memoryFigures(what, memory),
    ];
  } finally {
    await site.end();
  }
};

const path = '/v1/actions/execute';

/** On one machine: runner, forwarder and the stores' files in one process. */
export const benchPull = async (platform: PlatformProcess, count: number): Promise<Figure[]> => {
  let puller: BenchChild<{ url: string }> | undefined;
  try {
    return await measure(platform, count, '', async () => {
      puller = await startChild<{ url: string }>('./puller-child.ts', [token], platform.env);
      return { url: puller.ready.url, pids: { 'whole process, from sources': puller.pid } };
    });
  } finally {
    await puller?.end();
  }
};

const pidOf = (replica: Replica | undefined): number => replica?.process().child.pid ?? 0;

/** Each service as a process of its own, bundled, on Kafka and Redis. */
export const benchPullAlone = async (count: number): Promise<Figure[]> => {
  const env = { LOG_LEVEL: 'warn', AUTH_TOKEN: token, SCHEDULER: 'platform', HTTP_ALLOWED_NETWORKS: '127.0.0.0/8' };
  const cluster = await startCluster([park], { ingesters: 0, forwarders: 1, form: 'bundle', env });
  try {
    const runner = await cluster.add('action-runner');
    const [forwarder] = cluster.forwarders;
    return await measure(cluster.platform, count, 'Kafka: ', async () => {
      await runner.start();
      return { url: runner.url + path, pids: { 'action runner': pidOf(runner), forwarder: pidOf(forwarder) } };
    });
  } finally {
    await cluster.remove();
  }
};
