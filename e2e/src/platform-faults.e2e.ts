import test, { type ExecutionContext } from 'ava';
import { event, send, stored, storedNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';
import { endServers, ways, type Product, type Way } from './harness/ways.ts';

const parkA = 'aaaaaaaa-0000-4000-8000-000000000001';
const parkB = 'bbbbbbbb-0000-4000-8000-000000000002';

test.after.always(endServers);

const upWith = async (t: ExecutionContext, way: Way): Promise<Product> => {
  const product = await way.install(t, [parkA, parkB]);
  await product.up();
  return product;
};

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

/** Sends a few events under a fault, sees that the other integration flows, fixes the fault, and expects all in order. */
const survives = async (t: ExecutionContext, way: Way, fault: Readonly<Record<string, unknown>>): Promise<Product> => {
  const here = await upWith(t, way);
  await send(here, parkA, event(0));
  await untilStored(here, parkA, 1);
  const id = await here.platform.fault({ endpoint: 'sensors', integration: parkA, ...fault });
  for (const n of range(1, 6)) await send(here, parkA, event(n));
  await send(here, parkB, event(100));
  await untilStored(here, parkB, 1, 20_000);
  await here.platform.repair(id);
  await untilStored(here, parkA, 6, 90_000);
  // An item that was stored before its answer was lost is stored once more, marked: the platform could have lost it.
  t.deepEqual([...new Set(await storedNumbers(here, parkA))], range(0, 6));
  return here;
};

for (const way of ways) {
  test.serial(`${way.name}: a platform that answers 500 loses nothing and holds up nobody else`, async (t) => {
    await survives(t, way, { fault: 'status', status: 500 });
  });

  test.serial(
    `${way.name}: a platform that is slow to take more (429 with Retry-After) gets it later, in order`,
    async (t) => {
      await survives(t, way, { fault: 'status', status: 429, retry_after: 2, count: 2 });
    },
  );

  test.serial(`${way.name}: an answer cut in half is asked again, and the repetition is marked`, async (t) => {
    const here = await survives(t, way, { fault: 'half_body', count: 1 });
    const [first, again, ...more] = (await here.platform.door()).filter(
      ({ integration, item }) => integration === parkA && Number(item.additional['altitude']) === 1,
    );
    t.deepEqual(
      [first, again].map((line) => line?.item.additional['delivery_attempt']),
      [undefined, 2],
    );
    t.deepEqual(more, []);
  });

  test.serial(`${way.name}: a connection reset is asked again, in order`, async (t) => {
    await survives(t, way, { fault: 'reset', count: 3 });
  });

  test.serial(`${way.name}: a platform that never answers holds up its own integration alone`, async (t) => {
    await survives(t, way, { fault: 'hang', count: 1 });
  });

  test.serial(`${way.name}: a rotated key is fetched again without losing or reordering anything`, async (t) => {
    const here = await upWith(t, way);
    await send(here, parkA, event(0));
    await untilStored(here, parkA, 1);
    await here.platform.control('POST', `integrations/${parkA}/rotate-key`);
    await send(here, parkA, event(1), event(2));
    await untilStored(here, parkA, 3, 20_000);
    t.deepEqual(await storedNumbers(here, parkA), [0, 1, 2]);
  });

  test.serial(`${way.name}: a stale token, answered with a redirect, is renewed`, async (t) => {
    const here = await upWith(t, way);
    await send(here, parkA, event(0));
    await untilStored(here, parkA, 1);
    await here.platform.control('POST', 'tokens/expire');
    await here.platform.control('POST', `integrations/${parkA}/rotate-key`);
    await send(here, parkA, event(1));
    await untilStored(here, parkA, 2, 20_000);
    t.deepEqual(await storedNumbers(here, parkA), [0, 1]);
  });

  test.serial(
    `${way.name}: one item of a hundred that the platform refuses goes to the dead letters, the others arrive`,
    async (t) => {
      const here = await upWith(t, way);
      await here.platform.fault({ fault: 'refuse_item', field: 'additional.altitude', equals: 37 });
      await send(here, parkA, ...range(0, 100).map((n) => event(n)));
      await untilStored(here, parkA, 99);
      t.deepEqual(
        await storedNumbers(here, parkA),
        range(0, 100).filter((n) => n !== 37),
      );
      const dead = async (): Promise<boolean> => (await here.status())[0]?.dead_letters === 1;
      await until('the dead letter is counted', dead);
    },
  );

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
    `${way.name}: a key that is refused parks its integration, and a fixed key lets it catch up in order`,
    async (t) => {
      const here = await upWith(t, way);
      await send(here, parkA, event(0));
      await send(here, parkB, event(100));
      await untilStored(here, parkA, 1);
      await untilStored(here, parkB, 1);
      const id = await here.platform.fault({ endpoint: 'sensors', integration: parkA, fault: 'status', status: 401 });
      for (const n of range(1, 4)) await send(here, parkA, event(n));
      await send(here, parkB, event(101));
      await untilStored(here, parkB, 2, 20_000);
      const parked = async (): Promise<boolean> =>
        (await here.status()).some(({ id, parked: count }) => id === parkA && count > 0);
      await until('events of the refused key are parked', parked, 20_000);
      for (const n of range(4, 6)) await send(here, parkA, event(n));
      await here.platform.repair(id);
      await untilStored(here, parkA, 6, 90_000);
      t.deepEqual(await storedNumbers(here, parkA), range(0, 6));
    },
  );
}
