import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { kvEnv, parseEnv, systemClock } from '@ranger-relay/runtime';
import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { connectKv } from './stores.ts';

test('a store that cannot be reached shows in the metrics', async (t) => {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const context = testContext({ clock: systemClock });
  t.teardown(async () => {
    await context.lifecycle.stop();
    server.close();
  });
  await connectKv(context, parseEnv(kvEnv, { KV_HOST: '127.0.0.1', KV_PORT: String(port) }));
  t.regex(await context.metrics.render(), /^relay_store_ready\{store="redis"\} 0$/m);
});

test('without KV_HOST the store is looked for on this machine', async (t) => {
  const called = Promise.withResolvers<void>();
  const server = createServer((socket) => {
    called.resolve();
    socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  const { port } = server.address() as AddressInfo;
  const context = testContext({ clock: systemClock });
  t.teardown(async () => {
    await context.lifecycle.stop();
    server.close();
  });
  await connectKv(context, parseEnv(kvEnv, { KV_PORT: String(port) }));
  await t.notThrowsAsync(called.promise);
});
