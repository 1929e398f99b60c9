import { inspect } from 'node:util';
import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import { bulk } from './test/fake-redis.ts';
import { until, harness } from './test/harness.ts';

const canary = 'CANARY-password';

const answers: readonly [reply: string, reason: RegExp, ready: boolean][] = [
  ["READONLY You can't write against a read only replica.", /read-only replica; KV_HOST must name the master/, false],
  ['LOADING Redis is loading the dataset in memory', /still loading/, false],
  ['NOAUTH Authentication required.', /check KV_USERNAME and KV_PASSWORD/, false],
  ["OOM command not allowed when used memory > 'maxmemory'.", /raise its maxmemory/, false],
  ['NOREPLICAS Not enough good replicas to write.', /min-replicas-to-write/, false],
  ['MOVED 3999 127.0.0.1:6381', /Redis Cluster, which has only database 0/, false],
  ["NOPERM User x has no permissions to run the 'set' command", /\+@read \+@write/, true],
  ['WRONGTYPE Operation against a key holding the wrong kind of value', /another program uses this database/, true],
];

for (const [reply, reason, ready] of answers)
  test(`a write refused with ${reply.split(' ')[0]} says what to do, once in the log`, async (t) => {
    const { kv, server, ready: untilReady, messages } = await harness(t);
    await untilReady();
    server.answer = ([name]) => (name === 'SET' ? `-${reply}\r\n` : undefined);
    for (let n = 0; n < 3; n++) {
      const error = await t.throwsAsync(kv.state.set('a', 'one'), { message: reason });
      t.true(isRelayError(error, 'kv_unavailable'));
    }
    t.is(kv.ready(), ready);
    t.is(messages('warn', 'error').length, 1);
  });

test('while writes are refused reads go on, and the end of it is noticed without calls', async (t) => {
  const { kv, server, ready, pass, messages } = await harness(t);
  await ready();
  server.answer = ([name]) => (name === 'SET' ? '-OOM no memory\r\n' : undefined);
  await t.throwsAsync(kv.state.set('a', 'one'));
  t.is(await kv.state.get('a'), null);
  t.false(kv.ready());
  server.answer = () => undefined;
  await pass(3_100);
  t.true(kv.ready());
  t.deepEqual(messages('info'), ['the key-value store works again']);
});

test('a refused login is said once however often it is tried, and ends by itself', async (t) => {
  const { kv, pass, server, readyAgain, lines, messages } = await harness(t, {
    settings: { password: canary },
    before: (server) => {
      server.answer = ([name]) => (name === 'HELLO' ? '-WRONGPASS invalid username-password pair\r\n' : undefined);
    },
  });
  await t.throwsAsync(kv.state.get('a'), { message: /check KV_USERNAME and KV_PASSWORD/ });
  await pass(10_000);
  t.true(server.accepted() > 4);
  t.deepEqual(messages('error'), ['the key-value store is unusable; events are sent without deduplication']);
  server.answer = () => undefined;
  await readyAgain();
  t.deepEqual(messages('info'), ['the key-value store works again']);
  t.false(JSON.stringify(lines).includes(canary));
});

/** As Redis 5 and older ones answer what they do not know. */
const echo = ([name, ...args]: readonly string[]): string =>
  `-ERR unknown command \`${name}\`, with args beginning with: ${args.map((arg) => `\`${arg}\`,`).join(' ')}\r\n`;

test('a server that repeats what it was sent makes no password, key or value known', async (t) => {
  const { kv, server, ready, pass, readyAgain, lines } = await harness(t, { settings: { password: canary } });
  await ready();
  server.answer = (command) => (command[0] === 'SET' ? echo(command) : undefined);
  const refused = await t.throwsAsync(kv.state.set('CANARY-key', 'CANARY-value'));
  server.answer = (command) => (command[0] === 'HELLO' ? echo(command) : undefined);
  server.breakAll();
  await until(() => !kv.ready());
  await pass(500);
  const old = await t.throwsAsync(kv.state.get('a'), { message: /Redis 6 or a later one is needed/ });
  t.false((inspect(refused, { depth: 9 }) + inspect(old, { depth: 9 }) + JSON.stringify(lines)).includes('CANARY'));
  server.answer = () => undefined;
  await readyAgain();
});

test('a server in cluster mode is refused with one sentence, before any call reaches it', async (t) => {
  const { kv, server, lines } = await harness(t, {
    before: (server) => {
      server.answer = ([name, section]) => {
        if (name === 'SELECT') return '-ERR SELECT is not allowed in cluster mode\r\n';
        return name === 'INFO' && section === 'cluster' ? bulk('# Cluster\r\ncluster_enabled:1\r\n') : undefined;
      };
    },
  });
  const sentence = /it is a Redis Cluster, which has only database 0; use one server or Sentinel instead$/;
  await t.throwsAsync(kv.state.get('a'), { message: sentence });
  await t.throwsAsync(kv.config.get('a'), { message: sentence });
  t.is(server.received.length, 0);
  t.is(lines.length, 1);
});

test('a replica and a server that loads its data are refused before any call reaches them', async (t) => {
  for (const [section, text, message] of [
    ['replication', 'role:slave', /read-only replica/],
    ['persistence', 'loading:1', /still loading/],
  ] as const) {
    const { kv, server } = await harness(t, {
      before: (server) => {
        server.answer = ([name, asked]) => (name === 'INFO' && asked === section ? bulk(text) : undefined);
      },
    });
    await t.throwsAsync(kv.state.get('a'), { message });
    t.is(server.received.length, 0);
  }
});
