import test from 'ava';
import { watchEmergencies } from './harness/sos.ts';
import { envelope, event, post } from './harness/traffic.ts';
import { until } from './harness/until.ts';
import { endServers, ways, type Product } from './harness/ways.ts';

const parks = Array.from({ length: 4 }, (_, n) => `aaaaaaaa-0000-4000-8000-00000000000${n + 1}`);
const [parkA = '', parkB = ''] = parks;
/** SOS_BACKLOG makes it long: events that wait in front of the platform. */
const backlog = Number(process.env['SOS_BACKLOG'] ?? 20_000);
const perPost = 5_000;

test.after.always(endServers);

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Events of many devices of every park, acknowledged while the platform takes none of them. */
const fill = async (product: Product): Promise<void> => {
  for (let sent = 0; sent < backlog; sent += perPost) {
    const events = Array.from({ length: perPost }, (_, n) =>
      event(sent + n, { imei: `3004340000${10_000 + (n % 50)}` }),
    );
    const body = envelope(...events);
    const park = parks[(sent / perPost) % parks.length] ?? '';
    await until('the backlog is taken', async () => (await post(product, park, body)).status === 200, 120_000, 1_000);
  }
};

for (const way of ways)
  test.serial(
    `${way.name}: an SOS is accepted beside any backlog, as soon as the platform is back, and the gauge knows it throughout`,
    async (t) => {
      t.timeout(600_000 + backlog * 2);
      const here = await way.install(t, parks);
      let running = await here.up();
      const down = await here.platform.fault({ fault: 'status', status: 503, endpoint: 'sensors' });
      await fill(here);
      const emergencies = watchEmergencies(here);
      t.teardown(() => emergencies.stop());
      const callFor = async (ms: number, park: string): Promise<number[]> => {
        const numbers: number[] = [];
        for (const end = Date.now() + ms; Date.now() < end; await pause(250))
          numbers.push(await emergencies.call(park));
        return numbers;
      };
      const allStored = (): Promise<void> =>
        until(
          'every SOS is stored',
          async () => (await emergencies.readOn(), emergencies.waiting() === 0),
          60_000,
          250,
        );

      const inOutage = await callFor(10_000, parkA);
      await until('the gauge shows it', async () => (await emergencies.gauge()) > 5, 30_000, 500);
      const backAt = Date.now();
      await here.platform.repair(down);
      await allStored();
      t.log(`behind an outage: ${JSON.stringify(emergencies.delays(inOutage, backAt))}`);

      const beside = await callFor(15_000, parkA);
      await allStored();
      t.log(`beside ${backlog} events: ${JSON.stringify(emergencies.delays(beside))}`);

      const parked = await here.platform.fault({
        fault: 'status',
        status: 401,
        endpoint: 'sensors',
        integration: parkB,
      });
      const inParked = await callFor(8_000, parkB);
      const mendedAt = Date.now();
      await here.platform.repair(parked);
      await allStored();
      t.log(`of a park whose key was refused: ${JSON.stringify(emergencies.delays(inParked, mendedAt))}`);

      const away = await here.platform.fault({ fault: 'status', status: 503, endpoint: 'sensors' });
      const beforeKill = await callFor(3_000, parkA);
      const killedAt = Date.now();
      await running.end('SIGKILL');
      running = await here.up();
      await until('the gauge shows it after the restart', async () => (await emergencies.gauge()) > 5, 60_000, 500);
      const readyAt = Date.now();
      const againAt = Date.now();
      await here.platform.repair(away);
      await allStored();
      t.log(`behind a restart: ${JSON.stringify(emergencies.delays(beforeKill, againAt))}`);

      await pause(7_000);
      const gauge = await emergencies.check([[killedAt - 1_000, readyAt]]);
      t.log(`gauge: ${JSON.stringify(gauge)}`);
      t.is(gauge.missed, 0, 'an SOS waited and the gauge showed none');
      t.is(gauge.wrong, 0, 'no SOS waited and the gauge showed one');
    },
  );
