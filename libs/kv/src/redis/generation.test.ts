import test from 'ava';
import { bulk } from './test/fake-redis.ts';
import { until, harness } from './test/harness.ts';

test('another run of a server, as after a fail-over or a restart, is another generation; a lost connection is not', async (t) => {
  const server = { run: 'first' };
  const {
    kv,
    server: fake,
    ready,
    readyAgain,
  } = await harness(t, {
    before: (redis) => {
      redis.answer = ([name, section]) =>
        name === 'INFO' && section === 'server' ? bulk(`# Server\r\nrun_id:${server.run}\r\n`) : undefined;
    },
  });
  await ready();
  const first = kv.generation();
  fake.breakAll();
  await until(() => !kv.ready());
  await readyAgain();
  t.is(kv.generation(), first);
  server.run = 'second';
  fake.breakAll();
  await until(() => !kv.ready());
  await readyAgain();
  t.not(kv.generation(), first);
});

test('a server that does not tell its run is another one with each connection', async (t) => {
  const { kv, server, ready, readyAgain } = await harness(t);
  await ready();
  const first = kv.generation();
  server.breakAll();
  await until(() => !kv.ready());
  await readyAgain();
  t.not(kv.generation(), first);
});

test('the server tells its clock, its bound, what goes when that is reached, and whether it logs its writes', async (t) => {
  const { kv, server, ready } = await harness(t);
  await ready();
  server.answer = ([name, section]) => {
    if (name === 'TIME') return '*2\r\n$10\r\n1767225600\r\n$6\r\n250000\r\n';
    if (name === 'INFO' && section === 'persistence') return bulk('# Persistence\r\nloading:0\r\naof_enabled:1\r\n');
    if (name !== 'INFO' || section !== 'memory') return undefined;
    return bulk('# Memory\r\nused_memory:100\r\nmaxmemory:2000\r\nmaxmemory_policy:allkeys-lru\r\n');
  };
  t.deepEqual(await kv.server?.(), {
    now: 1_767_225_600_250,
    maxMemoryBytes: 2_000,
    evictionPolicy: 'allkeys-lru',
    appendOnly: true,
  });
});
