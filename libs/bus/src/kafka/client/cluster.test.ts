import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as pass } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
// @ts-expect-error the client publishes no types for its inner parts
import RequestQueue from 'kafkajs/src/network/requestQueue/index.js';
import { silentLogger } from '@ranger-relay/runtime/testing';
import { KafkaServer } from '../test/server.ts';
import { createCluster } from './cluster.ts';

const metadata = 3;
const apiVersions = 18;
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test.serial('a connection on which nothing is asked arms no timer again and again', async (t) => {
  t.timeout(60_000);
  const server = await KafkaServer.start(t);
  const cluster = createCluster({ settings: server.settings(), log: silentLogger() });
  await cluster.connect();
  const prototype = RequestQueue.prototype as { checkPendingRequests: () => void };
  const { checkPendingRequests } = prototype;
  let checks = 0;
  prototype.checkPendingRequests = function (this: unknown) {
    checks += 1;
    checkPendingRequests.call(this);
  };
  t.teardown(() => (prototype.checkPendingRequests = checkPendingRequests));
  await cluster.refreshMetadata();
  const asked = checks;
  await pass(100);
  t.is(checks, asked);
  await cluster.disconnect();
});

test.serial('a throttled connection sends when the throttle is over', async (t) => {
  t.timeout(60_000);
  createCluster({ settings: (await KafkaServer.start(t)).settings(), log: silentLogger() });
  const sent: number[] = [];
  const log = { debug: () => undefined, warn: () => undefined };
  const queue = new RequestQueue({
    maxInFlightRequests: null,
    requestTimeout: 1_000,
    clientId: 'c',
    broker: 'b',
    logger: log,
  });
  queue.maybeThrottle(30);
  queue.push({ entry: { correlationId: 1 }, expectResponse: true, sendRequest: () => sent.push(1) });
  t.is(sent.length, 0);
  for (let n = 0; n < 200 && sent.length === 0; n += 1) await pass(10);
  t.is(sent.length, 1);
  queue.destroy();
});

test.serial(
  'disconnecting ends within a second although the broker answers nothing, and leaves nothing open',
  async (t) => {
    t.timeout(60_000);
    const server = await KafkaServer.start(t);
    const before = timers();
    const cluster = createCluster({ settings: server.settings(), log: silentLogger() });
    await cluster.connect();
    server.mute.add(metadata);
    const asking = t.throwsAsync(cluster.refreshMetadata());
    await pass(50);
    const started = performance.now();
    await cluster.disconnect();
    t.true(performance.now() - started < 1_000);
    await asking;
    for (let n = 0; n < 100 && (server.open > 0 || timers() > before); n += 1) await pass(20);
    t.is(server.open, 0);
    t.true(timers() <= before);
  },
);

test.serial('a client that was disconnected opens nothing any more', async (t) => {
  t.timeout(60_000);
  const server = await KafkaServer.start(t);
  const cluster = createCluster({ settings: server.settings(), log: silentLogger() });
  await cluster.connect();
  await cluster.disconnect();
  const { connections } = server;
  await t.throwsAsync(cluster.connect(), { message: /closed/ });
  t.is(server.connections, connections);
});

/** A broker that leads the topic `a`, and a client that has found it. */
const connected = async (t: ExecutionContext) => {
  t.timeout(60_000);
  const server = await KafkaServer.start(t);
  server.topics.set('a', { leaders: [1] });
  const cluster = createCluster({ settings: server.settings(), log: silentLogger() });
  await cluster.connect();
  await cluster.refreshMetadata();
  const broker = await cluster.findBroker({ nodeId: '1' });
  t.teardown(() => cluster.disconnect());
  return { server, broker };
};

test.serial('requests that find their connection broken share a new one', async (t) => {
  const { server, broker } = await connected(t);
  server.cut();
  for (let n = 0; n < 100 && broker.isConnected(); n += 1) await pass(10);
  const { connections } = server;
  await Promise.all([1, 2, 3].map(() => broker.metadata(['a'])));
  t.is(server.connections, connections + 1);
});

test.serial('a response that was cut off is no part of what the next connection receives', async (t) => {
  const { server, broker } = await connected(t);
  server.cutsOff = true;
  await t.throwsAsync(broker.metadata(['a']));
  server.cutsOff = false;
  for (let n = 0; n < 3; n += 1) await t.notThrowsAsync(broker.metadata(['a']));
});

test.serial('a client whose first address accepts and closes goes on to the next one', async (t) => {
  t.timeout(60_000);
  const server = await KafkaServer.start(t);
  const closing = createServer((socket) => socket.end());
  closing.listen(0, '127.0.0.1');
  await once(closing, 'listening');
  t.teardown(() => closing.close());
  const brokers = [`127.0.0.1:${(closing.address() as AddressInfo).port}`, `127.0.0.1:${server.port}`];
  const cluster = createCluster({ settings: server.settings({ brokers }), log: silentLogger() });
  await t.notThrowsAsync(cluster.connect());
  await cluster.disconnect();
});

test.serial(
  'a broker that accepts and says nothing fails a connect in time, and is used once it answers',
  async (t) => {
    t.timeout(60_000);
    const server = await KafkaServer.start(t);
    server.mute.add(apiVersions);
    const cluster = createCluster({ settings: server.settings(), log: silentLogger() });
    const started = performance.now();
    await t.throwsAsync(cluster.connect());
    t.true(performance.now() - started < 8_000);
    server.mute.clear();
    const answers = (): Promise<boolean> =>
      cluster.connect().then(
        () => true,
        () => false,
      );
    for (let n = 0; n < 500 && !(await answers()); n += 1) await pass(10);
    await cluster.refreshMetadata();
    await cluster.disconnect();
  },
);
