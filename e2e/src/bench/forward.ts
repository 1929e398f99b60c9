import { totalOf, type PlatformProcess } from '../harness/platform.ts';
import { startChild } from './child.ts';
import { secondsToPost, type Post } from './post.ts';
import { usageOf } from './proc.ts';
import { files, type Stores } from './stores.ts';
import { atLeast, atMost, type Figure } from './table.ts';

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

/** The bare limit: a loop that posts the same chunks to the same simulator, as many at a time as there are partitions; events/s. */
const bareLoop = async (platform: PlatformProcess, apikey: string, events: number): Promise<number> => {
  const url = new URL('/v2/observations/', platform.env['PLATFORM_SENSORS_BASE_URL']);
  const headers = { 'content-type': 'application/json', apikey };
  const postOf = (number: number): Post => {
    const chunk = Array.from({ length: 100 }, (_, n) => observation(number * 100 + n));
    return { url, headers, body: JSON.stringify(chunk) };
  };
  return events / (await secondsToPost(events / 100, lanes, postOf));
};

/** The forwarder draining twelve hours of 2,000 devices into the simulator. */
export const benchForward = async (
  platform: PlatformProcess,
  integration: string,
  devices: number,
  stores: Stores = files,
): Promise<Figure[]> => {
  const env = { ...platform.env, ...stores.env };
  const child = await startChild<{ total: number }>('./forwarder-child.ts', [integration, String(devices)], env);
  try {
    const { total } = child.ready;
    const before = (await platform.stats()).calls;
    const cpu = usageOf(child.pid).cpuSeconds;
    const { seconds, roundTrips } = await child.ask<{ seconds: number; roundTrips: number }>('drain');
    const used = usageOf(child.pid);
    const after = (await platform.stats()).calls;
    const calls = totalOf(after) - totalOf(before);
    const others = calls - ((after['observations'] ?? 0) - (before['observations'] ?? 0));
    const { api_key: key } = (await platform.control('POST', `integrations/${integration}/rotate-key`)) as {
      api_key: string;
    };
    const bare = await bareLoop(platform, key, 50_000);
    const name = `${stores.title}forwarder`;
    return [
      { ...atLeast(`${name} draining ${total} events`, 'events/s', total / seconds, 3_000), bare },
      atMost(`${name}: HTTP calls per event`, 'calls', calls / total, 0.02),
      atMost(`${name}: token and key calls in all`, 'calls', others, 4),
      ...(roundTrips > 0
        ? [atMost(`${name}: Redis round trips per event`, 'round trips', roundTrips / total, 0.1)]
        : []),
      { name: `${name}: CPU per event`, unit: 'µs', value: ((used.cpuSeconds - cpu) * 1e6) / total },
      { name: `${name}: memory while draining`, unit: 'MB', value: used.rssBytes / 1e6 },
    ];
  } finally {
    await child.end();
  }
};
