import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from '@ranger-relay/runtime';
import test from 'ava';
import { bodyTimeoutMs } from './webhook.ts';
import { ingesterEnv, ingesterProblems } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-ingester-config-'));
test.after.always(() => rmSync(folder, { recursive: true, force: true }));
const WEBHOOK_TOKENS_FILE = join(folder, 'tokens.json');
writeFileSync(WEBHOOK_TOKENS_FILE, '{"aaaaaaaa-0000-4000-8000-000000000001":["first-token"]}');
const valid = { WEBHOOK_TOKENS_FILE };
const parse = (env: NodeJS.ProcessEnv) => parseEnv(ingesterEnv, env, ingesterProblems);

test('the defaults are those of the contract', (t) => {
  t.like(parse(valid), {
    PORT: 8081,
    INTEGRATION_TYPE_SLUG: 'device_connector',
    WEBHOOK_AUTH: 'token',
    WEBHOOK_INTEGRATION_HEADER: 'x-integration-id',
    WEBHOOK_MAX_BODY_BYTES: 16_777_216,
    WEBHOOK_MAX_BUFFERED_BYTES: 134_217_728,
    WEBHOOK_INVALID_BODY: 'ack',
  });
});

const refused: readonly (readonly [NodeJS.ProcessEnv, RegExp])[] = [
  [{}, /^WEBHOOK_TOKENS_FILE is not set, but WEBHOOK_AUTH=token needs it/],
  [
    { WEBHOOK_TOKENS_FILE: '/no/such.json' },
    /^WEBHOOK_TOKENS_FILE names the file \/no\/such.json, which cannot be used/,
  ],
  [{ WEBHOOK_AUTH: 'gateway' }, /^WEBHOOK_TRUSTED_PROXIES is empty/],
  [{ ...valid, WEBHOOK_AUTH: 'maybe' }, /^WEBHOOK_AUTH is "maybe", but takes one of token, gateway, none/],
  [{ ...valid, WEBHOOK_TRUSTED_PROXIES: '10.0.0.1' }, /^WEBHOOK_TRUSTED_PROXIES is "10.0.0.1", but takes networks/],
  [{ ...valid, WEBHOOK_MAX_BODY_BYTES: 'many' }, /^WEBHOOK_MAX_BODY_BYTES is "many", but takes a whole number/],
  [{ ...valid, WEBHOOK_MAX_BUFFERED_BYTES: '2000' }, /^WEBHOOK_MAX_BUFFERED_BYTES is 2000, but must be at least/],
  [{ ...valid, WEBHOOK_INVALID_BODY: 'drop' }, /^WEBHOOK_INVALID_BODY is "drop"/],
  [{ ...valid, PORT: '99999' }, /^PORT is "99999"/],
];

for (const [env, sentence] of refused)
  test(`the start stops with one sentence: ${sentence.source}`, (t) => {
    const error = t.throws(() => parse(env));
    t.regex(error?.message ?? '', sentence);
    t.false(error?.message.includes('\n'));
  });

test('gateway and none need no tokens file', (t) => {
  t.is(parse({ WEBHOOK_AUTH: 'none' }).WEBHOOK_AUTH, 'none');
  const gateway = parse({ WEBHOOK_AUTH: 'gateway', WEBHOOK_TRUSTED_PROXIES: '10.0.0.0/8' });
  t.deepEqual(gateway.WEBHOOK_TRUSTED_PROXIES, ['10.0.0.0/8']);
});

test('a body’s time, after the longest wait for configuration, is inside the server’s time for a request', (t) => {
  const configurationMs = 3_000;
  const requestMs = 15_000;
  t.true(bodyTimeoutMs + configurationMs < requestMs);
});
