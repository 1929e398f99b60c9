import test, { type ExecutionContext } from 'ava';
import { install, type Installation } from './harness/installation.ts';
import { event, send, stored, storedNumbers, untilStored } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const parkA = 'aaaaaaaa-0000-4000-8000-000000000001';
const parkB = 'bbbbbbbb-0000-4000-8000-000000000002';

const upWith = async (t: ExecutionContext): Promise<Installation> => {
  const installation = await install([parkA, parkB]);
  t.teardown(() => installation.remove());
  await installation.up();
  return installation;
};

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

/** Sends a few events under a fault, sees that the other integration flows, mends the fault, and expects all in order. */
const survives = async (t: ExecutionContext, fault: Readonly<Record<string, unknown>>): Promise<Installation> => {
  const here = await upWith(t);
  await send(here, parkA, event(0));
  await untilStored(here, parkA, 1);
  const id = await here.platform.fault({ endpoint: 'sensors', integration: parkA, ...fault });
  for (const n of range(1, 6)) await send(here, parkA, event(n));
  await send(here, parkB, event(100));
  await untilStored(here, parkB, 1, 20_000);
  await here.platform.mend(id);
  await untilStored(here, parkA, 6, 90_000);
  t.deepEqual(await storedNumbers(here, parkA), range(0, 6));
  return here;
};

test('a platform that answers 500 loses nothing and holds up nobody else', async (t) => {
  await survives(t, { fault: 'status', status: 500 });
});

test('a platform that is slow to take more (429 with Retry-After) gets it later, in order', async (t) => {
  await survives(t, { fault: 'status', status: 429, retry_after: 2, count: 2 });
});

test('an answer cut in half is asked again; the platform drops the repetition', async (t) => {
  const here = await survives(t, { fault: 'half_body', count: 1 });
  t.is((await here.platform.stats()).violations['chunk'] ?? 0, 0);
});

test('a connection reset is asked again, in order', async (t) => {
  await survives(t, { fault: 'reset', count: 3 });
});

test('a platform that never answers holds up its own integration alone', async (t) => {
  await survives(t, { fault: 'hang', count: 1 });
});

test('a key that is refused parks its integration, and a mended key lets it catch up in order', async (t) => {
  const here = await upWith(t);
  await send(here, parkA, event(0));
  await send(here, parkB, event(100));
  await untilStored(here, parkA, 1);
  await untilStored(here, parkB, 1);
  const id = await here.platform.fault({ endpoint: 'sensors', integration: parkA, fault: 'status', status: 401 });
  for (const n of range(1, 4)) await send(here, parkA, event(n));
  await send(here, parkB, event(101));
  await untilStored(here, parkB, 2, 20_000);
  const parked = async (): Promise<boolean> => {
    const status = (await (await fetch(`${here.statusUrl}/status.json`)).json()) as {
      integrations: { id: string; parked: number }[];
    };
    return status.integrations.some((one) => one.id === parkA && one.parked > 0);
  };
  await until('events of the refused key are parked', parked, 20_000);
  for (const n of range(4, 6)) await send(here, parkA, event(n));
  await here.platform.mend(id);
  await untilStored(here, parkA, 6, 90_000);
  t.deepEqual(await storedNumbers(here, parkA), range(0, 6));
});

test('a rotated key is fetched again without losing or reordering anything', async (t) => {
  const here = await upWith(t);
  await send(here, parkA, event(0));
  await untilStored(here, parkA, 1);
  await here.platform.control('POST', `integrations/${parkA}/rotate-key`);
  await send(here, parkA, event(1), event(2));
  await untilStored(here, parkA, 3, 20_000);
  t.deepEqual(await storedNumbers(here, parkA), [0, 1, 2]);
});

test('a stale token, answered with a redirect, is renewed', async (t) => {
  const here = await upWith(t);
  await send(here, parkA, event(0));
  await untilStored(here, parkA, 1);
  await here.platform.control('POST', 'tokens/expire');
  await here.platform.control('POST', `integrations/${parkA}/rotate-key`);
  await send(here, parkA, event(1));
  await untilStored(here, parkA, 2, 20_000);
  t.deepEqual(await storedNumbers(here, parkA), [0, 1]);
});

test('one item of a hundred that the platform refuses goes to the dead letters, the others arrive', async (t) => {
  const here = await upWith(t);
  await here.platform.fault({ fault: 'refuse_item', field: 'additional.altitude', equals: 37 });
  await send(here, parkA, ...range(0, 100).map((n) => event(n)));
  await untilStored(here, parkA, 99);
  t.deepEqual(
    await storedNumbers(here, parkA),
    range(0, 100).filter((n) => n !== 37),
  );
  const dead = async (): Promise<boolean> => {
    const status = (await (await fetch(`${here.statusUrl}/status.json`)).json()) as {
      integrations: { dead_letters: number }[];
    };
    return status.integrations[0]?.dead_letters === 1;
  };
  await until('the dead letter is counted', dead, 10_000);
});

test('a platform that is away altogether: events are acknowledged, wait, and arrive in order, also after a kill', async (t) => {
  const here = await install([parkA, parkB]);
  t.teardown(() => here.remove());
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
});
