import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import { kvEnv, parseEnv } from '@ranger-relay/runtime';
import test, { type ExecutionContext } from 'ava';
import { redisSettings } from './settings.ts';

const read = (source: Record<string, string>) => redisSettings(parseEnv(kvEnv, source));

const refusal = (t: ExecutionContext, source: Record<string, string>): string => {
  const error = t.throws(() => read(source));
  t.true(isRelayError(error, 'config_invalid'));
  return error?.message ?? '';
};

test('a host is enough', (t) => {
  t.deepEqual(read({ KV_HOST: 'kv' }), { host: 'kv', port: 6_379, stateDb: 0, configDb: 1 });
  t.is(read({ KV_HOST: 'fd00::1' }).host, 'fd00::1');
});

test('everything that is set arrives', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'relay-ca-'));
  t.teardown(() => rmSync(dir, { recursive: true }));
  const file = join(dir, 'ca.pem');
  const ca = '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n';
  writeFileSync(file, ca);
  const tls = { KV_TLS: 'true', KV_TLS_CA_FILE: file };
  t.deepEqual(read({ KV_HOST: 'kv', KV_PORT: '1', KV_USERNAME: 'u', KV_PASSWORD: 'p', ...tls }), {
    host: 'kv',
    port: 1,
    stateDb: 0,
    configDb: 1,
    username: 'u',
    password: 'p',
    tls: { ca },
  });
  t.deepEqual(read({ KV_HOST: 'kv', KV_TLS: 'true' }).tls, {});
});

test('the spaces lie in the databases that are named', (t) => {
  t.like(read({ KV_HOST: 'kv', KV_STATE_DB: '3', KV_CONFIGS_DB: '4' }), { stateDb: 3, configDb: 4 });
});

test('sentinels stand in for the host', (t) => {
  const { sentinel } = read({ KV_SENTINELS: 'a:1,b:2', KV_SENTINEL_PASSWORD: 's' });
  t.deepEqual(sentinel, {
    nodes: [
      { host: 'a', port: 1 },
      { host: 'b', port: 2 },
    ],
    master: 'mymaster',
    password: 's',
  });
});

const kv = { KV_HOST: 'kv' };
const refusals: readonly [what: string, source: Record<string, string>, sentence: RegExp][] = [
  ['no host', {}, /^KV_HOST is not set/],
  ['host and sentinels', { ...kv, KV_SENTINELS: 'a:1' }, /^KV_HOST and KV_SENTINELS are both set; keep one/],
  ['several hosts', { KV_HOST: 'a,b' }, /^KV_HOST is "a,b", but takes one host.*Redis Cluster cannot be used/],
  ['a URL', { KV_HOST: 'redis-cluster://a' }, /^KV_HOST .*takes one host.*Redis Cluster cannot be used/],
  ['a port in the host', { KV_HOST: 'kv:6379' }, /^KV_HOST holds a port; set it in KV_PORT/],
  ['no port', { ...kv, KV_PORT: '0' }, /^KV_PORT is 0/],
  ['one database for both spaces', { ...kv, KV_STATE_DB: '1' }, /^KV_CONFIGS_DB is 1 like KV_STATE_DB/],
  ['a user without password', { ...kv, KV_USERNAME: 'u' }, /^KV_USERNAME is set, but KV_PASSWORD is not/],
  ['certificates without TLS', { ...kv, KV_TLS_CA_FILE: '/x' }, /^KV_TLS_CA_FILE is set, but KV_TLS is not true/],
  [
    'no file',
    { ...kv, KV_TLS: 'true', KV_TLS_CA_FILE: '/no/such' },
    /^KV_TLS_CA_FILE names the file \/no\/such, which/,
  ],
  ['no certificate', { ...kv, KV_TLS: 'true', KV_TLS_CA_FILE: '/dev/null' }, /holds no certificate in PEM form/],
  ['a sentinel that is a URL', { KV_SENTINELS: 'redis://a:1' }, /^KV_SENTINELS .*takes host:port/],
  ['a sentinel password alone', { ...kv, KV_SENTINEL_PASSWORD: 'p' }, /^KV_SENTINEL_PASSWORD is set, but KV_SENTINELS/],
  ['a sentinel user alone', { KV_SENTINELS: 'a:1', KV_SENTINEL_USERNAME: 'u' }, /^KV_SENTINEL_USERNAME is set, but/],
];

for (const [what, source, sentence] of refusals)
  test(`is refused by name: ${what}`, (t) => {
    t.regex(refusal(t, source), sentence);
  });

test('settings that another program made with several hosts or a URL are refused too', (t) => {
  const env = parseEnv(kvEnv, kv);
  t.throws(() => redisSettings({ ...env, KV_HOST: 'a:1,b:2' }), {
    message: /several hosts, but must be one host; Redis/,
  });
  t.throws(() => redisSettings({ ...env, KV_HOST: 'redis://a' }), { message: /scheme, but must be one host; Redis/ });
});
