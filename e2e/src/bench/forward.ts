import { Agent, request } from 'node:http';
import { totalOf, type PlatformProcess } from '../harness/platform.ts';
import { startChild } from './child.ts';
import { usageOf } from './proc.ts';
import { files, type Stores } from './stores.ts';
import type { Figure } from './table.ts';

const lanes = 12;

const observation = (n: number): object => ({
  source: `bare-${n % 2000}`,
  source_name: `bare-${n % 2000}`,
  type: 'gps-radio',
  subject_type: 'ranger',
  recorded_at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString(),
  location: { lat: -1.28612, lon: 36.81722 },
  additional: { autonomous: 1, lowBattery: 0, low_battery_label: 'ok', altitude: 1661.5, gpsFix: 2, course: 337.5, n },
});

const postOne = (url: URL, key: string, agent: Agent, body: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), apikey: key };
    const call = request(url, { method: 'POST', agent, headers }, (answer) => {
      answer
        .resume()
        .on('end', () => (answer.statusCode === 200 ? resolve() : reject(new Error(`${answer.statusCode}`))));
    });
    call.on('error', reject).end(body);
  });

/** The bare limit: a loop that posts the same chunks to the same simulator, as many at a time as there are partitions. */
const bareLoop = async (platform: PlatformProcess, key: string, events: number): Promise<number> => {
  const url = new URL('/v2/observations/', platform.env['PLATFORM_SENSORS_BASE_URL']);
  const agent = new Agent({ keepAlive: true, maxSockets: lanes });
  let next = 0;
  const start = performance.now();
  const lane = async (): Promise<void> => {
    while (next < events) {
      const first = next;
      next += 100;
      await postOne(
        url,
        key,
        agent,
        JSON.stringify(Array.from({ length: 100 }, (_, index) => observation(first + index))),
      );
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  agent.destroy();
  return events / ((performance.now() - start) / 1000);
};

/** The forwarder draining twelve hours of 2,000 devices into the simulator. */
export const benchForward = async (
  platform: PlatformProcess,
  integration: string,
  facts: object,
  devices: number,
  stores: Stores = files,
): Promise<Figure[]> => {
  const child = await startChild<{ total: number }>(
    './forwarder-child.ts',
    [integration, JSON.stringify(facts), String(devices)],
    stores.env,
  );
  try {
    const { total } = child.ready;
    const before = (await platform.stats()).calls;
    const cpu = usageOf(child.pid).cpuSeconds;
    const done = child.next<{ seconds: number; roundTrips: number }>();
    child.tell('drain');
    const { seconds, roundTrips } = await done;
    const used = usageOf(child.pid);
    const after = (await platform.stats()).calls;
    const calls = totalOf(after) - totalOf(before);
    const others = calls - ((after['observations'] ?? 0) - (before['observations'] ?? 0));
    const { api_key: key } = (await platform.control('POST', `integrations/${integration}/rotate-key`)) as {
      api_key: string;
    };
    const bare = await bareLoop(platform, key, 50_000);
    return [
      {
        name: `${stores.title}forwarder draining ${total} events`,
        unit: 'events/s',
        value: total / seconds,
        bare,
        bound: '≥ 3,000/s',
        holds: total / seconds >= 3_000,
      },
      {
        name: `${stores.title}forwarder: HTTP calls per event`,
        unit: 'calls',
        value: calls / total,
        bound: '≤ 0.02',
        holds: calls / total <= 0.02,
      },
      {
        name: `${stores.title}forwarder: token and key calls in all`,
        unit: 'calls',
        value: others,
        bound: 'none per batch',
        holds: others <= 4,
      },
      ...(roundTrips > 0
        ? [
            {
              name: `${stores.title}forwarder: Redis round trips per event`,
              unit: 'round trips',
              value: roundTrips / total,
              bound: '≤ 0.1',
              holds: roundTrips / total <= 0.1,
            },
          ]
        : []),
      { name: `${stores.title}forwarder: CPU per event`, unit: 'µs', value: ((used.cpuSeconds - cpu) * 1e6) / total },
      { name: `${stores.title}forwarder: memory while draining`, unit: 'MB', value: used.rssBytes / 1e6 },
    ];
  } finally {
    await child.end();
  }
};
