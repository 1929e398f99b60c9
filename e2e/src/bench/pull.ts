import type { PlatformProcess } from '../harness/platform.ts';
import { startChild } from './child.ts';
import { usageOf } from './proc.ts';
import type { Figure } from './table.ts';
import { sleep } from './under-load.ts';

const token = 'bench-token';
const park = 'eeeeeeee-0000-4000-8000-000000000001';
const days = 20;
const pageSize = 100;

const storedOf = async (platform: PlatformProcess): Promise<number> =>
  (await platform.stats()).items['observation']?.['stored'] ?? 0;

/** One pull of everything, as a person would start it. */
const pull = async (url: string): Promise<unknown> => {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ integration_id: park, action_id: 'pull_observations' }),
  });
  if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
  return answer.json();
};

const mostMemory = (pid: number) => {
  let most = 0;
  const look = setInterval(() => (most = Math.max(most, usageOf(pid).rssBytes / 1e6)), 100);
  return () => {
    clearInterval(look);
    return most;
  };
};

/** A backfill from a simulated site through the bus and the forwarder into the simulated platform. */
export const benchPull = async (platform: PlatformProcess, facts: object, count: number): Promise<Figure[]> => {
  const site = await startChild<{ url: string; token: string }>('./site-data-child.ts', [String(count), String(days)]);
  await platform.control('POST', `integrations/${park}`, {
    type: 'site_connector',
    base_url: site.ready.url,
    configurations: {
      auth: { authentication_type: 'token', token: site.ready.token },
      pull_observations: { start_datetime: '2026-01-01T00:00:00Z', end_datetime: '2026-01-21T00:00:00Z' },
    },
  });
  const puller = await startChild<{ url: string }>('./puller-child.ts', [JSON.stringify(facts), token]);
  try {
    const before = await storedOf(platform);
    const memory = mostMemory(puller.pid);
    const begin = performance.now();
    const result = (await pull(puller.ready.url)) as { status?: string };
    if (result.status !== 'complete') throw new Error(JSON.stringify(result));
    const pulled = (performance.now() - begin) / 1000;
    while ((await storedOf(platform)) - before < count) await sleep(100);
    const seconds = (performance.now() - begin) / 1000;
    const most = memory();
    const counted = site.next<number>();
    site.tell('count');
    const ratio = (await counted) / (days * Math.ceil(count / days / pageSize));
    const what = `pull of ${count.toLocaleString('en')} observations`;
    return [
      {
        name: `${what}, site to platform`,
        unit: 'observations/s',
        value: count / seconds,
        bound: '≥ 2,000/s',
        holds: count / seconds >= 2_000,
      },
      { name: `${what}, site to bus`, unit: 'observations/s', value: count / pulled },
      {
        name: `${what}: calls of the site`,
        unit: 'of the necessary',
        value: ratio,
        bound: '≤ 1.05',
        holds: ratio <= 1.05,
      },
      { name: `${what}: memory at most`, unit: 'MB', value: most, bound: '≤ 200 MB', holds: most <= 200 },
    ];
  } finally {
    await Promise.all([puller.end(), site.end()]);
  }
};
