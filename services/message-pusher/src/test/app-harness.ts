import { memoryBus } from '@ranger-relay/bus/testing';
import { topics, type DeadLetter, type OutboundMessage } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { memoryKv } from '@ranger-relay/kv/testing';
import { parseEnv, systemClock, type Clock, type FinishedSpan } from '@ranger-relay/runtime';
import { recordingLogger, recordingTracing, testContext } from '@ranger-relay/runtime/testing';
import type { ExecutionContext } from 'ava';
import { compose, type PusherDependencies } from '../compose.ts';
import { pusherEnv } from '../config.ts';
import { ledgerKey, readEntry, type LedgerEntry } from '../ledger/entry.ts';
import { startVendor, type Ending } from './vendor.ts';
import { account, integrationId, messageTo, type Entry } from './harness.ts';

/** An answer of the app with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly json: unknown;
  readonly headers: Headers;
}

const headerOf = { authorization: 'Bearer right-token', 'content-type': 'application/json' };

/** The whole service before a vendor on loopback; store, bus and platform are faked at their ports, and nobody waits. */
export const appHarness = async (t: ExecutionContext, plan: Ending[] = [], env: NodeJS.ProcessEnv = {}) => {
  const slept: number[] = [];
  const clock: Clock = { ...systemClock, sleep: async (ms) => void slept.push(ms) };
  const vendor = await startVendor(t, plan);
  const bus = memoryBus(clock);
  const kv = memoryKv(clock);
  const { state } = kv;
  const entries: Entry[] = [];
  const { log, lines } = recordingLogger();
  const { tracing, spans }: { tracing: ReturnType<typeof recordingTracing>['tracing']; spans: FinishedSpan[] } =
    recordingTracing();
  const platform = {
    enabled: true,
    known: true,
    down: false,
    configs: { auth: { ...account, api_url: vendor.apiUrl }, push_messages: {} } as Record<string, unknown>,
    /** Saved since `configs` was read; takes its place when that is loaded anew. */
    saved: undefined as Record<string, unknown> | undefined,
    registered: [] as unknown[],
    /** Its clock before ours, ms. */
    aheadMs: 0,
  };
  const asked = async <T>(value: T): Promise<T> => {
    if (platform.down) throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
    return value;
  };
  const integrations = {
    integration: (id: string) =>
      asked(
        platform.known ? { id, enabled: platform.enabled, name: 'Park', type: { value: 'device_connector' } } : null,
      ),
    actionConfig: (_id: string, action: string) => asked(platform.configs[action] ?? null),
    reload: async () => {
      platform.configs = platform.saved ?? platform.configs;
      return !platform.down;
    },
  };
  const context = testContext({ clock, log, tracing });
  const dependencies = {
    bus,
    kv,
    platform: {
      integrations,
      activity: {
        action: (kind: string, _id: string, _action: string, payload: Entry['payload']) =>
          void entries.push({ kind, payload }),
      },
      applyConfigEvent: async () => undefined,
      time: () => clock.now() + platform.aheadMs,
      askTime: async () => undefined,
      registerType: async (body: unknown) => void platform.registered.push(body),
    },
  } as unknown as PusherDependencies;
  const config = parseEnv(pusherEnv, {
    PORT: '0',
    HOST: '127.0.0.1',
    AUTH_TOKEN: 'right-token',
    HTTP_ALLOWED_NETWORKS: '127.0.0.0/8',
    ...env,
  });
  const { port } = await compose(context, dependencies, config);
  t.teardown(() => context.lifecycle.stop());

  const post = async (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> => {
    const init = { method: 'POST', headers: { ...headerOf, ...headers }, body: JSON.stringify(body) };
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, init);
    return { status: answer.status, json: await answer.json(), headers: answer.headers };
  };
  let messages = 0;
  const envelope = (
    recipients: readonly unknown[],
    more: { id?: string; attributes?: object; data?: object } = {},
  ): object => {
    messages += 1;
    const data = Buffer.from(JSON.stringify(more.data ?? messageTo(recipients))).toString('base64');
    const attributes = { destination_id: integrationId, delivery_id: 'd1', ...more.attributes };
    return { message: { data, attributes, messageId: more.id ?? `m${messages}` }, subscription: 's' };
  };
  const outbound = bus.consumers.find(({ topic }) => topic === topics.outboundMessages.name);

  return {
    vendor,
    bus,
    state,
    platform,
    entries,
    lines,
    spans,
    /** Waits that were not waited, ms. */
    slept,
    port,
    context,
    dependencies,
    post,
    envelope,
    /** Pushes a text to devices, each time as another message of the same delivery. */
    push: (recipients: readonly unknown[], more?: Parameters<typeof envelope>[1], headers?: Record<string, string>) =>
      post('/push-data', envelope(recipients, more), headers),
    execute: (body: object) => post('/v1/actions/execute', { integration_id: integrationId, ...body }),
    /** Delivers a record of `outbound-messages`. */
    async consumed(
      value: OutboundMessage | string,
      more: {
        offset?: number;
        attempt?: number;
        timestamp?: number;
        headers?: Record<string, string>;
        key?: string;
      } = {},
    ) {
      const { offset = 1, attempt = 0, timestamp = Date.now(), headers = {}, key = `${integrationId}:x` } = more;
      const bytes = Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
      const record = { topic: 'outbound-messages', partition: 0, offset: BigInt(offset), key };
      const [outcome] =
        (await outbound?.handle({
          topic: record.topic,
          partition: 0,
          lane: record.key,
          records: [{ ...record, value: bytes, headers, timestamp }],
          apart: false,
          attempt,
          maybeSent: [],
          announce: async () => true,
          signal: new AbortController().signal,
        })) ?? [];
      return outcome;
    },
    outbound,
    letters: () => bus.values(topics.deadLetters.name) as unknown as DeadLetter[],
    kinds: () => entries.map(({ kind, payload }) => (kind === 'CustomLog' ? String(payload['title']) : kind)),
    entryOf: (recipient: string, deliveryId = 'd1'): LedgerEntry | null =>
      readEntry(state.entries.get(ledgerKey(integrationId, deliveryId, recipient))?.value ?? null),
  };
};

/** The service under test. */
export type AppHarness = Awaited<ReturnType<typeof appHarness>>;
