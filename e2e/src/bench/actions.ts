import type { PlatformProcess } from '../harness/platform.ts';
import { startChild } from './child.ts';
import { startLoader, type Shape } from './load.ts';
import { files, type Stores } from './stores.ts';
import { atMost, exactly, type Figure } from './table.ts';

const token = 'bench-token';
/** A run of one integration waits for no other; so many share the connections. */
const parks = 8;

const parkOf = (number: number): string => `cccccccc-0000-4000-8000-${String(number).padStart(12, '0')}`;

interface Ready {
  readonly url: string;
  /** From the start of the service on open stores to readiness. */
  readonly readyMs: number;
  readonly isRemote: boolean;
}

/** A service whose action does nothing: what `POST /` costs beside a bare server, cold and warm. */
export const benchActions = async (
  platform: PlatformProcess,
  seconds: number,
  stores: Stores = files,
): Promise<Figure[]> => {
  const integrationIds = Array.from({ length: parks }, (_, number) => parkOf(number + (stores === files ? 0 : parks)));
  for (const id of integrationIds)
    await platform.control('POST', `integrations/${id}`, { type: 'device_connector', configurations: { nothing: {} } });
  const load = await startLoader();
  const bare = await startChild<{ port: number }>('./bare-child.ts', ['commands']);
  const service = await startChild<Ready>('./actions-child.ts', [token], { ...platform.env, ...stores.env });
  const roundTrips = (): Promise<number> => service.ask('round trips');
  const loads = async (): Promise<number> => (await platform.stats()).calls['integration'] ?? 0;
  try {
    const shape: Shape = { bodies: { kind: 'commands', integrationIds, actionId: 'nothing' }, seconds };
    const target = { url: service.ready.url, headers: { authorization: `Bearer ${token}` } };
    const before = await loads();
    await load.once(target, { ...shape, seconds: 0.5 });
    const cold = (await loads()) - before;
    const limit = await load.measure(bare.pid, { url: `http://127.0.0.1:${bare.ready.port}/`, headers: {} }, shape);
    const tripsBefore = await roundTrips();
    const counted = await load.once(target, shape);
    const trips = ((await roundTrips()) - tripsBefore) / counted.posts;
    const warm = await load.measure(service.pid, target, shape);
    const warmLoads = (await loads()) - before - cold;
    const name = `${stores.title}POST /`;
    const [value, limitValue] = [warm.postsPerSecond, limit.postsPerSecond];
    const figure = { name: `${name}, an action that does nothing: most`, unit: 'runs/s', value, bare: limitValue };
    return [
      { ...figure, bound: '≥ 0.25 × bare', holds: value >= limitValue / 4 },
      { ...atMost(`${name}, 64 connections: p99`, 'ms', warm.p99Ms, 50), bare: limit.p99Ms },
      exactly(`${name}: configuration loads of ${parks} integrations, cold`, 'calls', cold, parks),
      exactly(`${name}: calls to the platform, warm`, 'calls', warmLoads, 0),
      ...(service.ready.isRemote ? [atMost(`${name}: store round trips a run`, 'round trips', trips, 2)] : []),
      atMost(`${stores.title}service with actions: start to ready`, 'ms', service.ready.readyMs, 1_000),
    ];
  } finally {
    await Promise.all([load.end(), bare.end(), service.end()]);
  }
};
