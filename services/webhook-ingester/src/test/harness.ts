import { watchBusWrites } from '@ranger-relay/service';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bus } from '@ranger-relay/bus';
import { memoryBus } from '@ranger-relay/bus/testing';
import { memoryKv } from '@ranger-relay/kv/testing';
import type { WebhookIntegration } from '@ranger-relay/platform';
import { type Context, parseEnv } from '@ranger-relay/runtime';
import { manualClock, type ManualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import type { Hono } from 'hono';
import { buildParts, compose, createApp, type IngesterDependencies } from '../compose.ts';
import { ingesterEnv, ingesterProblems } from '../config.ts';
import { closedPark, eventsOn, gonePark, lettersOn, parkA, parkB, startMs } from './events.ts';

/** A test context: anything with a teardown, like AVA's `t`. */
interface WithTeardown {
  teardown(end: () => void | Promise<void>): void;
}

/** An activity entry as the ingester gave it. */
export interface Entry {
  readonly type: string;
  readonly integrationId: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Tokens of the tests' file. */
export const tokens = { a: 'token-of-park-a', a2: 'second-token-of-park-a', b: 'token-of-park-b' };

const tokensFile = {
  [parkA]: [tokens.a, tokens.a2],
  [parkB]: [tokens.b],
  [closedPark]: [tokens.a],
  [gonePark]: [tokens.a],
};

export const integrationOf = (id: string, parts: Partial<WebhookIntegration> = {}): WebhookIntegration => ({
  id,
  enabled: true,
  settings: {},
  ...parts,
});

/** The ingester with everything around it faked at the ports. */
export const harness = (t: WithTeardown, env: NodeJS.ProcessEnv = {}, clock: ManualClock = manualClock(startMs)) => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-ingester-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const tokensPath = join(folder, 'tokens.json');
  writeFileSync(tokensPath, JSON.stringify(tokensFile));
  const { log, lines } = recordingLogger();
  const context: Context = testContext({ clock, log });
  const bus = memoryBus(clock);
  const kv = memoryKv(clock);
  const entries: Entry[] = [];
  const integrations = new Map<string, WebhookIntegration>([
    [parkA, integrationOf(parkA)],
    [parkB, integrationOf(parkB)],
    [closedPark, integrationOf(closedPark, { enabled: false })],
  ]);
  const loads: string[] = [];
  // Tests replace these members later.
  const late: Bus = {
    ...bus,
    publish: (...args) => bus.publish(...args),
    ready: () => bus.ready(),
    topicProblems: () => bus.topicProblems(),
    lastRecords: (...args) => bus.lastRecords(...args),
  };
  const stores: Pick<IngesterDependencies, 'bus' | 'kv'> = { bus: watchBusWrites(context, late), kv };
  const clockGuard = { problem: (): string | null => null, reference: () => clock.now() };
  const dependencies = {
    ...stores,
    loadIntegration: async (id: string) => {
      loads.push(id);
      return integrations.get(id) ?? null;
    },
    clockGuard,
    activity: {
      webhook: (type: string, integrationId: string, payload: object) =>
        void entries.push({ type, integrationId, payload: payload as Entry['payload'] }),
    },
  };
  const source = { PORT: '0', HOST: '127.0.0.1', WEBHOOK_TOKENS_FILE: tokensPath, ...env };
  const config = parseEnv(ingesterEnv, source, ingesterProblems);
  return {
    clock,
    clockGuard,
    context,
    bus,
    kv,
    events: () => eventsOn(bus),
    letters: () => lettersOn(bus),
    entries,
    integrations,
    loads,
    dependencies,
    config,
    lines,
    tokensPath,
  };
};

/** A world of one test. */
export type Harness = ReturnType<typeof harness>;

/** The app of a world, called without a server. */
export const appOf = (w: Harness): Hono => createApp(buildParts(w.context, w.dependencies, w.config));

/** How a request differs from a good one. */
export interface PostOptions {
  readonly path?: string;
  readonly token?: string | null;
  readonly integration?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** What the HTTP server would hand over. */
  readonly bindings?: object;
}

/** Headers of a request that passes, less what the options take away. */
export const headersOf = ({
  token = tokens.a,
  integration = parkA,
  headers = {},
}: PostOptions): Record<string, string> => ({
  ...(token === null ? {} : { 'x-outbound-auth-token': token }),
  ...(integration === null ? {} : { 'x-integration-id': integration }),
  ...headers,
});

/** An answer with its parsed body. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly json: Record<string, unknown>;
}

/** Posts a body to the app of a world. */
export const post = async (
  w: Harness,
  content: string | Uint8Array<ArrayBuffer>,
  options: PostOptions = {},
): Promise<Answer> => {
  const init = { method: 'POST', headers: headersOf(options), body: content };
  const answer = await appOf(w).request(options.path ?? '/webhooks', init, options.bindings ?? {});
  return { status: answer.status, headers: answer.headers, json: (await answer.json()) as Record<string, unknown> };
};

/** Starts the ingester of a world on a port of its own. */
export const start = async (t: WithTeardown, w: Harness): Promise<number> => {
  t.teardown(() => w.context.lifecycle.stop());
  return (await compose(w.context, w.dependencies, w.config)).port;
};

/** The present value of a metric line. */
export const metricOf = async (w: Harness, line: string): Promise<number | undefined> => {
  const found = (await w.context.metrics.render()).split('\n').find((text) => text.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
};
