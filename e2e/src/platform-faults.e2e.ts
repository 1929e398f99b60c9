import test, { type ExecutionContext } from 'ava';
import { event, send, stored, storedNumbers, untilNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';
import { endServers, oneMachine, ways, type Product, type Way } from './harness/ways.ts';

const parkA = 'aaaaaaaa-0000-4000-8000-000000000001';
const parkB = 'bbbbbbbb-0000-4000-8000-000000000002';
const [parkC, parkD] = ['cccccccc-0000-4000-8000-000000000003', 'dddddddd-0000-4000-8000-000000000004'] as const;

test.after.always(endServers);

const upWith = async (t: ExecutionContext, way: Way): Promise<Product> => {
  const product = await way.install(t, [parkA, parkB]);
  await product.up();
  return product;
};

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

test.serial('connections that break, hang or bring half an answer hold up their own integration alone', async (t) => {
  const here = await upWith(t, oneMachine);
  await send(here, parkA, event(0));
  await untilStored(here, parkA, 1);
  const wholeOf = async (n: number) =>
    (await here.platform.ingestLog()).filter(
      ({ integration, item }) => integration === parkA && Number(item.additional['altitude']) === n,
    );
  let sent = 1;
  for (const fault of [
    { fault: 'half_body', count: 1 },
    { fault: 'reset', count: 3 },
    { fault: 'hang', count: 1 },
  ]) {
    const id = await here.platform.fault({ endpoint: 'sensors', integration: parkA, ...fault });
    const first = sent;
    for (sent = first; sent < first + 5; sent += 1) await send(here, parkA, event(sent));
    await send(here, parkB, event(100 + first));
    await untilNumbers(here, parkB, [100 + first], 20_000);
    await here.platform.repair(id);
    await until('all has come', async () => new Set(await storedNumbers(here, parkA)).size === sent, 90_000);
  }
  // An item that was stored before its answer was lost is stored once more, marked: the platform could have lost it.
  t.deepEqual([...new Set(await storedNumbers(here, parkA))], range(0, sent));
  const [first, repeated, ...more] = (await wholeOf(1)).map(({ item }) => item.additional['delivery_attempt']);
  t.deepEqual([first, more], [undefined, []]);
  t.true(Number.isSafeInteger(repeated) && Number(repeated) >= 2, String(repeated));
});

test.serial(
  'a rotated key is fetched again, with a new token, as the stale one is answered with a redirect',
  async (t) => {
    const here = await upWith(t, oneMachine);
    await send(here, parkA, event(0));
    await untilStored(here, parkA, 1);
    await here.platform.control('POST', 'tokens/expire');
    await here.platform.control('POST', `integrations/${parkA}/rotate-key`);
    await send(here, parkA, event(1), event(2));
    await untilStored(here, parkA, 3, 20_000);
    t.deepEqual(await storedNumbers(here, parkA), range(0, 3));
  },
);

for (const way of ways) {
  test.serial(
    `${way.name}: a platform that is away altogether: events are acknowledged, wait, and arrive in order, also after a kill`,
    async (t) => {
      const here = await way.install(t, [parkA, parkB]);
      const first = await here.up();
      await send(here, parkA, event(0));
      await send(here, parkB, event(100));
      await untilStored(here, parkA, 1);
      await untilStored(here, parkB, 1);
      await here.platform.control('POST', 'down', { ms: 8_000 });
      for (const n of range(1, 5))
        await send(here, parkA, event(n, n === 3 ? { messageCode: 3, freeText: 'still here' } : {}));
      await send(here, parkB, event(101));
      await first.end('SIGKILL');
      await here.up();
      await untilStored(here, parkA, 6, 90_000);
      await untilStored(here, parkB, 2, 90_000);
      t.deepEqual(await storedNumbers(here, parkA), range(0, 5));
      t.is((await stored(here, parkA)).filter(({ kind }) => kind === 'message').length, 1);
    },
  );

  test.serial(
    `${way.name}: one item of a hundred that the platform refuses is a dead letter; a key that is refused parks its integration, and a fixed key lets it catch up in order`,
    async (t) => {
      const here = await upWith(t, way);
      await here.platform.fault({ fault: 'refuse_item', field: 'additional.altitude', equals: 37 });
      await send(here, parkA, ...range(0, 100).map((n) => event(n)));
      await send(here, parkB, event(100));
      await untilStored(here, parkA, 99);
      await untilStored(here, parkB, 1);
      const dead = async (): Promise<boolean> =>
        (await here.status()).some(({ id, dead_letters: count }) => id === parkA && count === 1);
      await until('the dead letter is counted', dead);

      const id = await here.platform.fault({ endpoint: 'sensors', integration: parkA, fault: 'status', status: 401 });
      for (const n of range(100, 103)) await send(here, parkA, event(n));
      await send(here, parkB, event(101));
      await untilStored(here, parkB, 2, 20_000);
      const parked = async (): Promise<boolean> =>
        (await here.status()).some(({ id: park, parked: count }) => park === parkA && count > 0);
      await until('events of the refused key are parked', parked, 20_000);
      for (const n of range(103, 105)) await send(here, parkA, event(n));
      await here.platform.repair(id);
      await untilStored(here, parkA, 104, 90_000);
      const others = range(0, 105).filter((n) => n !== 37);
      t.deepEqual(await storedNumbers(here, parkA), others);
    },
  );

  test.serial(
    `${way.name}: a park whose calls hang, one whose key is refused and one with an event that always fails delay no other event`,
    async (t) => {
      const here = await way.install(t, [parkA, parkB, parkC, parkD]);
      await here.up();
      const bad = 666;
      const faults = [
        { endpoint: 'sensors', integration: parkA, fault: 'hang' },
        { endpoint: 'sensors', integration: parkB, fault: 'status', status: 401 },
        { endpoint: 'sensors', integration: parkC, fault: 'fail_item', fields: { 'additional.altitude': bad } },
      ];
      const ids = [];
      for (const fault of faults) ids.push(await here.platform.fault(fault));
      const failing = { imei: '300434030000666' };
      await send(here, parkC, event(bad, failing));
      for (const n of range(0, 6)) {
        await send(here, parkA, event(n));
        await send(here, parkB, event(n));
        await send(here, parkC, event(n), event(bad + 1 + n, failing));
        await send(here, parkD, event(n));
        for (const park of [parkC, parkD]) await untilNumbers(here, park, [n], 20_000);
      }
      for (const id of ids) await here.platform.repair(id);
      await untilStored(here, parkA, 6, 120_000);
      await untilStored(here, parkB, 6, 120_000);
      await untilStored(here, parkC, 13, 120_000);
      for (const park of [parkA, parkB, parkD]) t.deepEqual(await storedNumbers(here, park), range(0, 6));
      const ofFailing = (await storedNumbers(here, parkC)).filter((n) => n >= bad);
      t.deepEqual(ofFailing, range(bad, bad + 7), 'the device of the failing event keeps its order');
    },
  );
}
