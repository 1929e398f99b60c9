import { setImmediate as turn } from 'node:timers/promises';
import { kvContract } from '@ranger-relay/kv/testing';
import test, { type ExecutionContext } from 'ava';
import { openStore, storeUnderTest, untilReady, type OpenedStore } from './harness/kv-redis-store.ts';
import { freePort } from './harness/product.ts';
import { startRedis, startSentinel, type RedisOptions, type RedisServer } from './harness/redis.ts';
import { until } from './harness/until.ts';

const away = 'the key-value store does not answer; events are sent without deduplication';
const unusable = 'the key-value store is unusable; events are sent without deduplication';
const back = 'the key-value store works again';

let shared: RedisServer;

test.before(async () => {
  shared = await startRedis();
});

test.after.always(() => shared?.end());

kvContract(test, { name: 'redis', deadlineMs: 2_000, open: () => storeUnderTest(shared) });

const serverFor = async (t: ExecutionContext, options: RedisOptions = {}): Promise<RedisServer> => {
  const server = await startRedis(options);
  t.teardown(() => server.end());
  return server;
};

const storeOn = async (
  t: ExecutionContext,
  server: { readonly env: Readonly<Record<string, string>> },
  more: Parameters<typeof openStore>[1] = {},
): Promise<OpenedStore> => {
  const store = openStore(server.env, more);
  t.teardown(() => store.kv.close());
  await untilReady(store.kv);
  return store;
};

/** Ms until the store works again, asked for every few ms. */
const recovery = async ({ kv }: OpenedStore): Promise<number> => {
  const from = performance.now();
  await untilReady(kv, 20_000);
  return Math.round(performance.now() - from);
};

test.serial('with TLS and a password it works, and neither password nor certificate reaches the log', async (t) => {
  const server = await serverFor(t, { tls: true, password: 'CANARY-password' });
  const store = await storeOn(t, server);
  await store.kv.state.set('a', 'one');
  t.is(await store.kv.state.get('a'), 'one');
  await server.restartEmpty();
  await untilReady(store.kv);
  t.deepEqual(store.lines('info'), [back]);
  t.false(store.printed().includes('CANARY'));
});

test.serial(
  'a certificate of an unknown authority and a wrong password are refused with the variable to look at',
  async (t) => {
    const server = await serverFor(t, { tls: true, password: 'CANARY-password' });
    const { KV_TLS_CA_FILE: _, ...unknown } = server.env;
    for (const [env, message] of [
      [unknown, /certificate is not accepted .*check KV_TLS_CA_FILE/],
      [{ ...server.env, KV_PASSWORD: 'CANARY-other' }, /refuses the login; check KV_USERNAME and KV_PASSWORD/],
      [{ ...unknown, KV_TLS: 'false' }, /closed|ECONNRESET/],
    ] as const) {
      const { kv, printed, lines } = openStore(env);
      t.teardown(() => kv.close());
      await t.throwsAsync(kv.state.get('a'), { message });
      await t.throwsAsync(kv.state.get('a'), { message });
      t.is(lines('warn', 'error').length, 1);
      t.false(printed().includes('CANARY'));
    }
  },
);

test.serial('Sentinel: when the master is killed, writes go to the next one by themselves', async (t) => {
  const password = 'CANARY-master';
  const master = await serverFor(t, { password });
  const replica = await serverFor(t, { password, config: [`replicaof 127.0.0.1 ${master.port}`] });
  await until('the replica follows', async () => (await replica.ask('INFO', 'replication')).includes('link_status:up'));
  const sentinel = await startSentinel({ master, masterPassword: password, password: 'CANARY-sentinel', replicas: 1 });
  t.teardown(() => sentinel.end());
  const store = await storeOn(t, sentinel);
  await store.kv.state.set('a', 'one');
  await until('the replica has it', async () => (await replica.ask('GET', 'a')) === 'one');
  await master.kill();
  await until('the loss is seen', () => !store.kv.ready());
  t.log(`writes work ${await recovery(store)} ms after the master was killed`);
  t.true(await store.kv.state.compareAndSet('a', 'one', 'two'));
  t.is(await replica.ask('GET', 'a'), 'two');
  t.deepEqual(store.lines('info'), [back]);
  t.false(store.printed().includes('CANARY'));
});

test.serial('Sentinel: a name that it does not know is said with the variable to look at', async (t) => {
  const sentinel = await startSentinel({ master: shared });
  t.teardown(() => sentinel.end());
  const { kv } = openStore({ ...sentinel.env, KV_SENTINEL_MASTER: 'other' });
  t.teardown(() => kv.close());
  await t.throwsAsync(kv.state.get('a'), { message: /knows no master other; check KV_SENTINEL_MASTER/ });
});

test.serial(
  'a hung server: calls end at their deadline, later ones at once, and it works soon after the server does',
  async (t) => {
    const server = await serverFor(t);
    const store = await storeOn(t, server);
    server.pause();
    const from = performance.now();
    const calls = Array.from({ length: 1_000 }, (_, n) => store.kv.state.get(`${n}`));
    const outcomes = await Promise.allSettled(calls);
    const took = performance.now() - from;
    t.true(outcomes.every(({ status }) => status === 'rejected'));
    t.true(took >= 1_995 && took < 2_500, `${took} ms`);
    const again = performance.now();
    for (let n = 0; n < 1_000; n++)
      await t.throwsAsync(store.kv.state.get('a'), { message: /no answer within 2000 ms/ });
    t.true(performance.now() - again < 1_000);
    await until('a second try to connect has failed', () => performance.now() - from > 7_000);
    server.resume();
    const ms = await recovery(store);
    t.log(`works ${ms} ms after the server was resumed`);
    t.true(ms <= 5_000);
    await store.kv.state.set('a', 'one');
    t.is(await store.kv.state.get('a'), 'one');
    t.deepEqual([store.lines('warn', 'error').length, store.lines('info')], [1, [back]]);
  },
);

test.serial('a server that hangs and resumes within the deadline loses no call', async (t) => {
  const server = await serverFor(t);
  const store = await storeOn(t, server);
  server.pause();
  const calls = Promise.all(Array.from({ length: 100 }, (_, n) => store.kv.state.setIfAbsent(`${n}`, 'one')));
  const from = performance.now();
  await until('a second has passed', () => performance.now() - from > 1_000);
  server.resume();
  t.true((await calls).every(Boolean));
  t.deepEqual(store.lines('warn', 'error', 'info'), []);
});

test.serial('a pause of this process longer than the deadline is not taken for one of the server', async (t) => {
  const store = await storeOn(t, shared, { deadlineMs: 200 });
  const call = store.kv.state.setIfAbsent('paused', 'one', { ttlMs: 60_000 });
  await turn();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 500);
  t.true(await call);
  t.true(store.kv.ready());
});

test.serial('a server that was killed and comes back empty is used again, scripts included', async (t) => {
  const server = await serverFor(t);
  const store = await storeOn(t, server);
  await store.kv.state.set('a', 'one');
  t.true(await store.kv.state.compareAndSet('a', 'one', 'two'));
  await server.kill();
  await until('the loss is seen', () => !store.kv.ready());
  await t.throwsAsync(store.kv.state.get('a'), { message: /does not answer/ });
  await server.start();
  t.log(`works ${await recovery(store)} ms after the server was started`);
  t.is(await store.kv.state.get('a'), null);
  await store.kv.state.set('a', 'one');
  t.true(await store.kv.state.compareAndSet('a', 'one', 'two'));
  t.is(store.lines('warn', 'error').length, 1);
  t.true(store.lines('warn')[0]?.startsWith(`${away}: `));
});

test.serial('scripts that somebody flushed are sent again', async (t) => {
  const store = await storeOn(t, shared);
  await store.kv.state.set('flushed', 'one');
  await shared.ask('SCRIPT', 'FLUSH');
  t.true(await store.kv.state.compareAndSet('flushed', 'one', 'two'));
  t.true(await store.kv.state.compareAndDelete('flushed', 'two'));
});

test.serial('a server that became a replica is refused, and used again when it is the master', async (t) => {
  const server = await serverFor(t);
  const store = await storeOn(t, server);
  await server.readOnly(true);
  await t.throwsAsync(store.kv.state.set('a', 'one'), { message: /read-only replica; KV_HOST must name the master/ });
  t.false(store.kv.ready());
  await server.readOnly(false);
  t.log(`works ${await recovery(store)} ms after the server takes writes`);
  await store.kv.state.set('a', 'one');
  t.true(store.lines('error')[0]?.startsWith(`${unusable}: `));
});

test.serial(
  'a server whose memory is full, or whose replicas are missing, says so and can still be read',
  async (t) => {
    const server = await serverFor(t);
    const store = await storeOn(t, server);
    await store.kv.state.set('a', 'one');
    for (const [refuse, allow, message] of [
      [['maxmemory', '1'], ['maxmemory', '0'], /its memory is full; raise its maxmemory/],
      [['min-replicas-to-write', '1'], ['min-replicas-to-write', '0'], /replicas are missing/],
    ] as const) {
      await server.ask('CONFIG', 'SET', ...refuse);
      await t.throwsAsync(store.kv.state.set('b', 'two'), { message });
      t.is(await store.kv.state.get('a'), 'one');
      t.false(store.kv.ready());
      await server.ask('CONFIG', 'SET', ...allow);
      t.true((await recovery(store)) <= 5_000);
    }
    t.deepEqual(store.lines('info'), [back, back]);
  },
);

test.serial('a server in cluster mode is refused with one sentence', async (t) => {
  // Without a port of its own, its bus takes one of those that the kernel gives to outgoing connections.
  const server = await serverFor(t, { config: ['cluster-enabled yes', `cluster-port ${await freePort()}`] });
  const { kv, lines } = openStore(server.env);
  t.teardown(() => kv.close());
  const reason = 'it is a Redis Cluster, which has only database 0; use one server or Sentinel instead';
  const message = `The key-value store does not answer: ${reason}`;
  await t.throwsAsync(kv.state.get('a'), { message });
  await t.throwsAsync(kv.config.get('a'), { message });
  t.deepEqual(lines('warn', 'error'), [`${unusable}: ${reason}`]);
});

test.serial('a turn of calls is one round trip', async (t) => {
  const { kv, roundTrips } = await storeOn(t, shared);
  const before = await roundTrips('state');
  await Promise.all(Array.from({ length: 500 }, (_, n) => kv.state.setIfAbsent(`turn.${n}`, 'x', { ttlMs: 60_000 })));
  t.is((await roundTrips('state')) - before, 1);
});
