import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { epochKey } from '@ranger-relay/kv';
import { startFakeRedis } from '@ranger-relay/kv/testing';
import { commonEnv, kinds, platformEnv } from '@ranger-relay/runtime';
import test from 'ava';
import { runService } from './run.ts';

test('the help of a service calls required what its start would miss with nothing set', async (t) => {
  let out = '';
  const stdout = {
    write: (text: string) => void (out += text),
    writableLength: 0,
    on: () => undefined,
    listeners: () => [],
  };
  const host = { argv: ['node', 'service', '--help'], stdout } as unknown as NodeJS.Process;
  const code = await runService(host, {
    name: 'service',
    env: { TOKENS: { kind: kinds.text(), description: 'Tokens' }, EXTRA: { kind: kinds.text(), description: 'Extra' } },
    rules: ({ TOKENS }) => (TOKENS === undefined ? [{ variable: 'TOKENS', problem: 'is not set' }] : []),
    start: async () => t.fail() as never,
  });
  t.is(code, 0);
  const kindOf = (name: string): string | undefined => new RegExp(`  ${name}\n.*; (.*)\\.`).exec(out)?.[1];
  t.is(kindOf('KAFKA_BROKERS'), 'required');
  t.is(kindOf('TOKENS'), 'required by default');
  t.is(kindOf('EXTRA'), 'optional');
});

test('a service alone begins the epoch of its store before it starts its work', async (t) => {
  const store = await startFakeRedis();
  t.teardown(() => store.end());
  const host = Object.assign(new EventEmitter(), {
    argv: ['node', 'service'],
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    env: {
      LOG_LEVEL: 'silent',
      KAFKA_BROKERS: '127.0.0.1:1',
      KV_HOST: '127.0.0.1',
      KV_PORT: String(store.port),
      HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
      PLATFORM_API_BASE_URL: 'https://127.0.0.1:1',
      PLATFORM_SENSORS_BASE_URL: 'https://127.0.0.1:1',
      PLATFORM_TOKEN_URL: 'https://127.0.0.1:1/token',
      PLATFORM_CLIENT_ID: 'relay',
      PLATFORM_CLIENT_SECRET: 'relay-secret',
    },
  });
  let before: readonly (readonly string[])[] = [];
  const code = await runService(host as unknown as NodeJS.Process, {
    name: 'webhook-ingester',
    env: { ...commonEnv, ...platformEnv },
    start: async () => {
      before = [...store.received];
      host.emit('SIGTERM');
      return { port: 0 };
    },
  });
  t.is(code, 0);
  const [, , , ...how] = before.find(([name, key]) => name === 'SET' && key === epochKey) ?? [];
  t.true(how.includes('NX'), JSON.stringify(before));
});
