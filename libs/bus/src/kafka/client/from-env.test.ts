import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import type { RelayError } from '@ranger-relay/errors';
import { kafkaSettings } from './settings.ts';

const canary = 'canary-password-7';
const base = {
  KAFKA_BROKERS: [
    { host: 'one', port: 9_092 },
    { host: '10.0.0.2', port: 9_093 },
  ],
  KAFKA_PREFIX: undefined,
  KAFKA_TLS: false,
  KAFKA_TLS_CA_FILE: undefined,
  KAFKA_TLS_CERT_FILE: undefined,
  KAFKA_TLS_KEY_FILE: undefined,
  KAFKA_SASL_MECHANISM: 'none',
  KAFKA_SASL_USERNAME: undefined,
  KAFKA_SASL_PASSWORD: undefined,
  KAFKA_SESSION_TIMEOUT_MS: 10_000,
};
const settingsOf = (more: object) => kafkaSettings({ ...base, ...more } as never, 'ingester');

const refusals: readonly (readonly [variable: string, env: object])[] = [
  ['KAFKA_BROKERS', { KAFKA_BROKERS: undefined }],
  ['KAFKA_BROKERS', { KAFKA_BROKERS: [{ host: '::1', port: 1 }] }],
  ['KAFKA_TLS_CA_FILE', { KAFKA_TLS_CA_FILE: '/ca' }],
  ['KAFKA_TLS_CERT_FILE', { KAFKA_TLS_CERT_FILE: '/cert' }],
  ['KAFKA_TLS_KEY_FILE', { KAFKA_TLS_KEY_FILE: '/key' }],
  ['KAFKA_TLS_CA_FILE', { KAFKA_TLS: true, KAFKA_TLS_CA_FILE: '/is/not/there' }],
  ['KAFKA_TLS_KEY_FILE', { KAFKA_TLS: true, KAFKA_TLS_CERT_FILE: import.meta.filename }],
  ['KAFKA_TLS_CERT_FILE', { KAFKA_TLS: true, KAFKA_TLS_KEY_FILE: import.meta.filename }],
  ['KAFKA_SASL_USERNAME', { KAFKA_SASL_USERNAME: 'u' }],
  ['KAFKA_SASL_PASSWORD', { KAFKA_SASL_PASSWORD: canary }],
  ['KAFKA_SASL_USERNAME', { KAFKA_SASL_MECHANISM: 'plain', KAFKA_SASL_PASSWORD: canary }],
  ['KAFKA_SASL_PASSWORD', { KAFKA_SASL_MECHANISM: 'scram-sha-512', KAFKA_SASL_USERNAME: 'u' }],
];

for (const [index, [variable, env]] of refusals.entries())
  test(`refusal ${index} names ${variable}, and no secret`, (t) => {
    const error = t.throws<RelayError>(() => settingsOf({ KAFKA_SASL_PASSWORD: undefined, ...env }));
    t.is(error?.code, 'config_invalid');
    t.regex(error?.message ?? '', new RegExp(`\\b${variable}\\b`));
    t.false(`${error?.message} ${error?.stack} ${JSON.stringify(error)}`.includes(canary));
  });

test('without anything but brokers there is no TLS, no login and no prefix', (t) => {
  const settings = settingsOf({});
  t.like(settings, { brokers: ['one:9092', '10.0.0.2:9093'], prefix: '', sessionTimeoutMs: 10_000 });
  t.regex(settings.clientId, /^ingester@/);
  t.false('tls' in settings || 'sasl' in settings);
});

test('TLS takes the texts of its files, and the login its parts', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'relay-kafka-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const [ca, cert, key] = ['ca', 'cert', 'key'].map((name) => {
    writeFileSync(join(folder, name), `the ${name}`);
    return join(folder, name);
  });
  const settings = settingsOf({
    KAFKA_TLS: true,
    KAFKA_TLS_CA_FILE: ca,
    KAFKA_TLS_CERT_FILE: cert,
    KAFKA_TLS_KEY_FILE: key,
    KAFKA_SASL_MECHANISM: 'scram-sha-256',
    KAFKA_SASL_USERNAME: 'u',
    KAFKA_SASL_PASSWORD: canary,
    KAFKA_PREFIX: 'site.',
  });
  t.deepEqual(settings.tls, { ca: 'the ca', cert: 'the cert', key: 'the key' });
  t.deepEqual(settings.sasl, { mechanism: 'scram-sha-256', username: 'u', password: canary });
  t.is(settings.prefix, 'site.');
});

test('TLS without files trusts the well-known authorities', (t) => {
  t.deepEqual(settingsOf({ KAFKA_TLS: true }).tls, {});
});
