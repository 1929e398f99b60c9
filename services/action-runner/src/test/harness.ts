import { createRuntime, discoverActions, type ExecuteOutcome, type ExecuteRequest } from '@ranger-relay/actions';
import type { Bus } from '@ranger-relay/bus';
import { memoryBus } from '@ranger-relay/bus/testing';
import { sourceEventSchema, type SourceEvent } from '@ranger-relay/contracts';
import { createConditions, createMetrics, metricList, type Clock } from '@ranger-relay/runtime';
import { manualClock, recordingLogger, seededRandom, type ManualClock } from '@ranger-relay/runtime/testing';
import * as handlers from '../handlers.ts';
import { createSiteTools } from '../tools.ts';
import { lifeOf, livingHttp, livingSpace, type Life } from './life.ts';
import { memorySpace } from '@ranger-relay/kv/testing';
import { fakeSite, root, token } from './site.ts';

/** The integration of the tests. */
export const park = '11111111-2222-4333-8444-555555555555';
/** What `now` is in them. */
export const now = Date.UTC(2026, 0, 11);

/** One entry of the activity log. */
export interface Entry {
  readonly kind: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Waits pass as soon as they begin; timers run when waits pass over them. */
const eager = (clock: ManualClock, waits: number[]): Clock => ({
  ...clock,
  sleep(ms, signal) {
    waits.push(ms);
    const slept = clock.sleep(ms, signal);
    setImmediate(() => void clock.advance(ms));
    return slept;
  },
});

const keyOf = (action: string): string => `integration_state.${park}.${action}.no-source`;

/** A site, what outlives a process, and processes that run actions of this service. */
export const createHarness = () => {
  const site = fakeSite();
  const waits: number[] = [];
  const clock = manualClock(now);
  site.now = () => clock.now();
  const space = memorySpace(clock);
  const bus = memoryBus(clock);
  const entries: Entry[] = [];
  const { log, lines } = recordingLogger();
  const random = seededRandom(7);
  const metrics = createMetrics(metricList);
  const platform = {
    baseUrl: `${root}/any/path`,
    configs: { auth: { token } } as Record<string, unknown>,
    /** Waited for before a configuration is given. */
    onConfig: (_action: string): void | Promise<void> => undefined,
  };
  const integrations = {
    integration: (id: string) =>
      Promise.resolve({
        id,
        enabled: true,
        name: 'Park',
        base_url: platform.baseUrl,
        type: { value: 'site_connector' },
      }),
    async actionConfig(_id: string, action: string) {
      await platform.onConfig(action);
      return platform.configs[action] ?? null;
    },
    reload: async () => true,
  };
  const activity = {
    action: (kind: string, _id: string, _action: string, payload: Readonly<Record<string, unknown>> = {}) =>
      void entries.push({ kind, payload }),
  };

  /** A process on what there is; killed as its life says. */
  const start = (life: Life = lifeOf(), maxExecutionMs?: number) => {
    const own = eager(clock, waits);
    const living: Pick<Bus, 'publish'> = {
      publish: (...args) => life.liveSlowly(() => bus.publish(...args)),
    };
    const context = { clock: own, random, log, metrics, conditions: createConditions({ clock: own, log, metrics }) };
    const tools = createSiteTools(
      context,
      living,
      { SITE_CLIENT_ID: 'relay-client', PULL_OVERLAP: 600, PULL_LATE: 86_400 },
      livingHttp(site.http, life),
    );
    return createRuntime({
      slug: 'site_connector',
      catalogue: discoverActions(handlers),
      integrations,
      activity,
      state: livingSpace(space, life),
      bus: living,
      context,
      tools,
      commandsTopic: 'commands',
      ...(maxExecutionMs === undefined ? {} : { maxExecutionMs }),
    });
  };

  const run = (actionId: string, config: object = {}, more: Partial<ExecuteRequest> = {}): Promise<ExecuteOutcome> => {
    const stored = platform.configs[actionId];
    platform.configs[actionId] = { ...(stored as object | undefined), ...config };
    return start().execute({
      integration: { id: park },
      wanted: { actionId },
      triggeredBy: 'manual',
      ...more,
    });
  };

  return {
    site,
    bus,
    clock,
    space,
    platform,
    entries,
    lines,
    waits,
    start,
    run,
    /** State of an action as a whole. */
    state: (action = 'pull_observations') =>
      JSON.parse(space.values()[keyOf(action)] ?? '{}') as Record<string, unknown>,
    setState: (value: object, action = 'pull_observations') => space.set(keyOf(action), JSON.stringify(value)),
    /** What lies on `source-events`; each fits its schema. */
    events: (): SourceEvent[] => bus.values('source-events').map((value) => sourceEventSchema.parse(value)),
    /** Entries that actions wrote to the activity log themselves. */
    feed: () => entries.filter(({ kind }) => kind === 'CustomLog').map(({ payload }) => payload),
  };
};

/** A world of one test. */
export type Harness = ReturnType<typeof createHarness>;

/** The first range of older rows that a pull of observations has left to read. */
export const olderOf = (harness: Harness) =>
  (harness.state()['ranges'] as Record<string, unknown>[] | undefined)?.find(({ listing }) => listing === undefined);
