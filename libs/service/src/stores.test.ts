import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serveTcp } from '@ranger-relay/http/testing';
import { kvEnv, parseEnv, systemClock } from '@ranger-relay/runtime';
import { loopbackTls, recordingLogger, testContext, certificateOf2036 } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { topics } from '@ranger-relay/contracts';
import { connectKv, expirationOf, usedTopics, watchCertificates } from './stores.ts';

const expires = Date.UTC(2120, 0, 1) / 1_000;
const earlierExpires = Date.parse('2036-11-21T15:16:09Z') / 1_000;

const needs = (service: string): string[] =>
  usedTopics(service, Object.values(topics)).map(({ name, operations = [] }) => `${name} ${operations.join('+')}`);

test('a service looks only at the topics that it uses, and for the rights that it needs', (t) => {
  t.deepEqual(needs('webhook-ingester'), [
    'source-events Write',
    'emergencies Write',
    'sos-log Write',
    'integration-events Write',
    'config-events Read',
    'dead-letters Write',
  ]);
  t.true(needs('observation-forwarder').includes('source-events-parked Read+Write'));
  t.is(needs('up').length, Object.values(topics).length);
});

test('a chain ends with the first of its certificates, a bundle of authorities with the last', (t) => {
  t.is(expirationOf(loopbackTls.cert, 'chain'), expires);
  t.is(expirationOf(`${loopbackTls.cert}\n${certificateOf2036}`, 'chain'), earlierExpires);
  t.is(expirationOf(`${certificateOf2036}\n${loopbackTls.cert}`, 'authorities'), expires);
  t.is(expirationOf('no certificate', 'chain'), null);
});

test('each scrape reads the files anew, and one that cannot be read fails no scrape', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'relay-tls-'));
  t.teardown(() => rm(folder, { recursive: true }));
  const file = join(folder, 'tls.crt');
  const { log, lines } = recordingLogger();
  const context = testContext({ log });
  watchCertificates(context, { KAFKA_TLS_CERT_FILE: file }, ['KAFKA_TLS_CA_FILE', 'KAFKA_TLS_CERT_FILE']);
  const shown = async (): Promise<string | undefined> =>
    /relay_certificate_expiration_timestamp_seconds\{.*\} (\d+)/.exec(await context.metrics.render())?.[1];
  t.is(await shown(), undefined);
  t.is(lines.length, 1);
  await writeFile(file, certificateOf2036);
  t.is(await shown(), String(earlierExpires));
  await writeFile(file, loopbackTls.cert);
  t.is(await shown(), String(expires));
});

test('a store that cannot be reached shows in the metrics', async (t) => {
  const port = await serveTcp(t, (socket) => socket.destroy());
  const context = testContext({ clock: systemClock });
  t.teardown(() => context.lifecycle.stop());
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
