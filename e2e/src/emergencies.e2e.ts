import test from 'ava';
import { followArrivals, type Arrivals } from './harness/arrivals.ts';
import { metric } from './harness/metrics.ts';
import { envelope, event, post, send } from './harness/traffic.ts';
import { until } from './harness/until.ts';
import { endServers, ways, type Product } from './harness/ways.ts';

const parks = Array.from({ length: 4 }, (_, n) => `aaaaaaaa-0000-4000-8000-00000000000${n + 1}`);
const [parkA = '', parkB = ''] = parks;
const backlog = 8_000;
const perPost = 1_000;
const firstSos = 5_000_000;
let calls = 0;

test.after.always(endServers);

/** Events of many devices of every park, acknowledged while the platform takes none of them. */
const fill = async (here: Product): Promise<void> => {
  for (let sent = 0; sent < backlog; sent += perPost) {
    const events = Array.from({ length: perPost }, (_, n) =>
      event(sent + n, { imei: `3004340000${10_000 + (n % 50)}` }),
    );
    const park = parks[(sent / perPost) % parks.length] ?? '';
    const isTaken = async (): Promise<boolean> => (await post(here, park, envelope(...events))).status === 200;
    await until('the backlog is taken', isTaken, 120_000, 1_000);
  }
};

/** SOS events of devices of their own; their numbers. */
const callFor = async (here: Product, park: string, count = 5): Promise<number[]> => {
  const numbers: number[] = [];
  for (; numbers.length < count; calls += 1) {
    const sos = { imei: String(300_434_099_000_000 + calls), messageCode: 4, freeText: 'help', timeStamp: Date.now() };
    await send(here, park, event(firstSos + calls, sos));
    numbers.push(firstSos + calls);
  }
  return numbers;
};

const gaugeOf = async ({ forwarderUrls }: Product): Promise<number> =>
  Math.max(...(await Promise.all(forwarderUrls.map((url) => metric(url, 'relay_oldest_unsent_sos_age_seconds')))));

/** Waits until each of these is stored; how many others of their integration were by then. */
const untilAllStored = async (arrivals: Arrivals, park: string, numbers: readonly number[]): Promise<number> => {
  let there = new Set<number>();
  const areStored = async (): Promise<boolean> => {
    const lines = (await arrivals.read()).filter(
      ({ integration, outcome }) => integration === park && outcome === 'stored',
    );
    there = new Set(lines.map(({ item }) => Number(item.additional['altitude'])));
    return numbers.every((n) => there.has(n));
  };
  await until('every SOS is stored', areStored, 60_000, 250);
  return [...there].filter((n) => n < firstSos).length;
};

const shows = (here: Product): Promise<void> =>
  until('the gauge shows it', async () => (await gaugeOf(here)) > 5, 30_000, 500);
const showsNone = (here: Product): Promise<void> =>
  until('the gauge shows none', async () => (await gaugeOf(here)) === 0, 10_000, 500);

for (const way of ways)
  test.serial(
    `${way.name}: an SOS is accepted beside any backlog, as soon as the platform is back, also behind a refused key and a kill, and the gauge knows it`,
    async (t) => {
      t.timeout(300_000);
      const here = await way.install(t, parks);
      const up = await here.up();
      const arrivals = followArrivals(here.platform);
      const away = { fault: 'status', status: 503, endpoint: 'sensors' };
      const outage = await here.platform.fault(away);
      await fill(here);
      const inOutage = await callFor(here, parkA);
      await shows(here);
      await here.platform.repair(outage);
      const before = await untilAllStored(arrivals, parkA, inOutage);
      t.log(`${before} of ${backlog / parks.length} events came before the last of the SOS of their integration`);
      t.true(before < backlog / parks.length, 'an SOS does not wait for the backlog');
      await showsNone(here);

      const refused = await here.platform.fault({ ...away, status: 401, integration: parkB });
      const behindKey = await callFor(here, parkB);
      const again = await here.platform.fault({ ...away, integration: parkA });
      const behindKill = await callFor(here, parkA);
      await up.end('SIGKILL');
      await here.up();
      await shows(here);
      await here.platform.repair(refused);
      await here.platform.repair(again);
      await untilAllStored(arrivals, parkA, behindKill);
      await untilAllStored(arrivals, parkB, behindKey);
      await showsNone(here);
    },
  );
