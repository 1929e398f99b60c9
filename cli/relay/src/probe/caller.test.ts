import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { writeMarker } from '../data-dir/marker.ts';
import { callerOf } from './caller.ts';

const park = '2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a01';
const other = '2d0f1f3e-6f0b-4a53-9a61-0f3d4f1c2a02';
const digest = `sha256:${'a'.repeat(64)}`;

const folder = async (t: ExecutionContext): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), 'relay-probe-'));
  t.teardown(() => rm(path, { recursive: true, force: true }));
  return path;
};

const envOf = (more: Partial<Parameters<typeof callerOf>[0]> = {}): Parameters<typeof callerOf>[0] => ({
  PROBE_INTEGRATION: undefined,
  PROBE_TOKEN: undefined,
  WEBHOOK_TOKENS_FILE: undefined,
  DATA_DIR: '/nowhere',
  ...more,
});

const tokensFile = async (t: ExecutionContext, table: unknown): Promise<string> => {
  const path = join(await folder(t), 'tokens.json');
  await writeFile(path, typeof table === 'string' ? table : JSON.stringify(table));
  return path;
};

const refusal = async (t: ExecutionContext, env: Parameters<typeof callerOf>[0], given?: string): Promise<string> => {
  const error = await t.throwsAsync<RelayError>(callerOf(env, given));
  t.is(error?.code, 'usage');
  return error?.message ?? '';
};

test('who is named with a token is it, as the webhook writes the id', async (t) => {
  const env = envOf({ PROBE_INTEGRATION: park.toUpperCase(), PROBE_TOKEN: 'secret' });
  t.deepEqual(await callerOf(env, undefined), { integration: park, token: 'secret' });
  t.deepEqual(await callerOf(env, other), { integration: other, token: 'secret' });
});

test('the webhook’s own file gives an integration with a token in the clear', async (t) => {
  const WEBHOOK_TOKENS_FILE = await tokensFile(t, { [other]: [digest], [park]: [digest, 'secret-token'] });
  t.deepEqual(await callerOf(envOf({ WEBHOOK_TOKENS_FILE }), undefined), { integration: park, token: 'secret-token' });
  t.deepEqual(await callerOf(envOf({ WEBHOOK_TOKENS_FILE }), park), { integration: park, token: 'secret-token' });
  t.regex(await refusal(t, envOf({ WEBHOOK_TOKENS_FILE }), other), /holds no token of .*02 in the clear/);
});

test('a file without any token in the clear, or that is none, says what to set, and shows no token', async (t) => {
  const digests = await tokensFile(t, { [park]: [digest] });
  t.regex(await refusal(t, envOf({ WEBHOOK_TOKENS_FILE: digests })), /set PROBE_INTEGRATION and PROBE_TOKEN/);
  const broken = await tokensFile(t, 'CANARY{');
  t.notRegex(await refusal(t, envOf({ WEBHOOK_TOKENS_FILE: broken })), /CANARY/);
  t.regex(await refusal(t, envOf({ WEBHOOK_TOKENS_FILE: '/no/such/file' })), /cannot be used/);
});

test('beside a simulated `up` its own integration and token are taken', async (t) => {
  const DATA_DIR = await folder(t);
  const since = null;
  await writeMarker(DATA_DIR, {
    version: 1,
    instance_id: park,
    created_at: '2026-01-01T00:00:00.000Z',
    bus_since: since,
    kv_since: since,
    platform: 'simulated',
    owner: null,
  });
  await mkdir(join(DATA_DIR, 'secrets'));
  await writeFile(join(DATA_DIR, 'secrets', 'webhook-token'), 'simulated\n');
  t.deepEqual(await callerOf(envOf({ DATA_DIR }), undefined), { integration: park, token: 'simulated' });
});

test('where the webhook asks for no token an integration is enough; with nothing at all it is said what to set', async (t) => {
  t.deepEqual(await callerOf(envOf(), park), { integration: park, token: undefined });
  t.regex(await refusal(t, envOf()), /PROBE_INTEGRATION and PROBE_TOKEN, or WEBHOOK_TOKENS_FILE/);
  t.regex(await refusal(t, envOf(), 'a b'), /is not the id/);
});
