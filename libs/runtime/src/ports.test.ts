import { createServer } from 'node:net';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { baseApp, holdPorts, systemClock } from './index.ts';
import { testContext } from './testing/index.ts';

const host = '127.0.0.1';

/** A port that this process listens on, as another one would. */
const taken = async (t: ExecutionContext): Promise<number> => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
};

const free = async (): Promise<number> => {
  const server = createServer().listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

test('every port that cannot be taken is told at once, with the process that has it', async (t) => {
  const [one, two, own] = [await taken(t), await taken(t), await free()];
  const { problems, release } = await holdPorts([
    { host, port: one, portVariable: 'A_PORT' },
    { host, port: own, portVariable: 'B_PORT' },
    { host, port: two, portVariable: 'C_PORT' },
    { host, port: own, portVariable: 'D_PORT' },
  ]);
  t.deepEqual(
    problems.map(({ variable }) => variable),
    ['A_PORT', 'C_PORT', 'D_PORT'],
  );
  const told = process.platform === 'linux' ? `: .+ \\(pid ${process.pid}\\) has it` : '';
  t.regex(
    problems[0]?.problem ?? '',
    new RegExp(`^is ${one}, and listening on 127.0.0.1 failed \\(EADDRINUSE\\)${told}$`),
  );
  t.regex(problems[2]?.problem ?? '', new RegExp(`^is ${own}, as B_PORT is`));
  await release();
});

test('a host that is not of this machine is told once, whatever the number of ports', async (t) => {
  const elsewhere = '203.0.113.1';
  const { problems } = await holdPorts(
    ['A_PORT', 'B_PORT'].map((portVariable) => ({ host: elsewhere, port: 0, portVariable })),
  );
  t.deepEqual(problems, [
    { variable: 'HOST', problem: 'is 203.0.113.1, which is not an address of this machine (EADDRNOTAVAIL)' },
  ]);
});

test('a held port answers that the service is alive and starts until its app is served on it', async (t) => {
  const port = await free();
  const context = testContext({ clock: systemClock });
  const held = await holdPorts([{ host, port, portVariable: 'PORT' }]);
  const ask = (path = '/') => fetch(`http://${host}:${port}${path}`, { headers: { connection: 'close' } });
  const before = await ask();
  t.deepEqual([before.status, before.headers.get('retry-after')], [503, '1']);
  t.is((await ask('/livez')).status, 200);
  const readiness = await ask('/readyz');
  t.is(readiness.status, 503);
  t.deepEqual(await readiness.json(), { status: 'not ready', failing: ['starting'] });
  const app = baseApp(context).get('/', (c) => c.text('here'));
  const serving = await held.serve(app, { host, port, portVariable: 'PORT', clock: systemClock });
  await held.release();
  t.is(await (await ask()).text(), 'here');
  await serving.close();
});

test('a released port is free again', async (t) => {
  const wanted = [{ host, port: await free(), portVariable: 'PORT' }];
  for (let time = 0; time < 2; time += 1) {
    const { problems, release } = await holdPorts(wanted);
    t.deepEqual(problems, []);
    await release();
  }
});
