import { memoryBus } from '@ranger-relay/bus/testing';
import { RelayError } from '@ranger-relay/errors';
import type { Integration } from '@ranger-relay/platform';
import {
  manualClock,
  recordingLogger,
  seededRandom,
  type ManualClock,
  testContext,
} from '@ranger-relay/runtime/testing';
import type { RunLimits } from '../execute/admission.ts';
import { createRuntime, discoverActions, type ExecuteOutcome, type ExecuteRequest } from '../index.ts';
import { memorySpace, type MemorySpace } from '@ranger-relay/kv/testing';

/** The integration of the tests. */
export const park = '11111111-2222-4333-8444-555555555555';

/** One entry of the activity log as it was handed over. */
export interface Entry {
  readonly kind: string;
  readonly integrationId: string;
  readonly actionId: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** The platform as the runtime sees it. */
export interface FakePlatform {
  enabled: boolean;
  /** Configuration data by action; null when there is none. */
  configs: Record<string, unknown>;
  known: boolean;
  /** Type of its integrations. */
  type: string;
  down: boolean;
  asked: number;
  /** Saved since `configs` was read; takes its place when that is loaded anew. */
  saved: Record<string, unknown> | undefined;
  reloads: number;
  /** Cannot be asked anew; what was read serves on. */
  unreachable: boolean;
  /** What else was saved since. */
  savedSince: Partial<Pick<FakePlatform, 'enabled' | 'known' | 'type'>>;
}

/** What differs from one process of a test to the next. */
export interface HarnessOptions {
  readonly tools?: unknown;
  /** Type of the service; default `site`. */
  readonly slug?: string;
  readonly limits?: RunLimits;
  readonly maxExecutionMs?: number;
  readonly clock?: ManualClock;
  readonly space?: MemorySpace;
  readonly seed?: number;
}

const fakePlatform = (type: string) => {
  const platform: FakePlatform = {
    enabled: true,
    configs: {},
    known: true,
    type,
    down: false,
    asked: 0,
    saved: undefined,
    reloads: 0,
    unreachable: false,
    savedSince: {},
  };
  const answer = async <T>(value: () => T): Promise<T> => {
    platform.asked += 1;
    if (platform.down) throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
    return value();
  };
  const integrations = {
    integration: (id: string): Promise<Integration | null> =>
      answer(() =>
        platform.known
          ? {
              id,
              enabled: platform.enabled,
              name: 'Park',
              base_url: 'https://site.example',
              type: { value: platform.type },
            }
          : null,
      ),
    actionConfig: (_id: string, action: string): Promise<unknown> =>
      answer(() => (Object.hasOwn(platform.configs, action) ? platform.configs[action] : null)),
    reload: async (): Promise<boolean> => {
      platform.reloads += 1;
      if (platform.down || platform.unreachable) return false;
      platform.configs = platform.saved ?? platform.configs;
      Object.assign(platform, platform.savedSince);
      return true;
    },
  };
  return { platform, integrations };
};

/** `deliveryId` is short for a message of one topic. */
type RequestDependencies = Partial<ExecuteRequest> & { readonly deliveryId?: string };

const request = (actionId: string, { deliveryId, ...parts }: RequestDependencies = {}): ExecuteRequest => ({
  integration: { id: park },
  wanted: { actionId },
  triggeredBy: 'auto',
  ...(deliveryId === undefined ? {} : { message: { from: 'topic', id: deliveryId } }),
  ...parts,
});

/** One process with its actions, everything around it faked at the ports. */
export const harness = (handlers: Readonly<Record<string, unknown>>, options: HarnessOptions = {}) => {
  const { clock = manualClock(), seed = 1, limits, maxExecutionMs, tools } = options;
  const space = options.space ?? memorySpace(clock);
  const { platform, integrations } = fakePlatform(options.slug ?? 'site');
  const bus = memoryBus(clock);
  const entries: Entry[] = [];
  const feed = { broken: false };
  const { log, lines } = recordingLogger();
  const random = seededRandom(seed);
  const runtime = createRuntime({
    slug: options.slug ?? 'site',
    catalogue: discoverActions(handlers),
    integrations,
    activity: {
      action(kind, integrationId, actionId, payload) {
        if (feed.broken) throw new Error('the activity log is broken');
        entries.push({ kind, integrationId, actionId, payload });
      },
    },
    state: space,
    bus,
    context: { clock, random, log, conditions: testContext({ clock }).conditions },
    commandsTopic: 'site-actions-topic',
    tools,
    ...(limits ? { limits } : {}),
    ...(maxExecutionMs ? { maxExecutionMs } : {}),
  });

  /** Lets turns of the event loop pass until the task has ended. */
  const settled = async <T>(task: Promise<T>): Promise<T> => {
    const state = { over: false };
    task.finally(() => (state.over = true)).catch(() => undefined);
    for (let turn = 0; turn < 200 && !state.over; turn += 1) await clock.advance(0);
    if (!state.over) throw new Error('it did not end without time passing');
    return task;
  };

  return {
    clock,
    space,
    platform,
    bus,
    entries,
    feed,
    lines,
    log,
    random,
    runtime,
    settled,
    start: (actionId: string, parts?: RequestDependencies) => runtime.execute(request(actionId, parts)),
    run: (actionId: string, parts?: RequestDependencies): Promise<ExecuteOutcome> =>
      settled(runtime.execute(request(actionId, parts))),
    kinds: (): string[] => entries.map(({ kind }) => kind),
  };
};

/** A world of one test. */
export type Harness = ReturnType<typeof harness>;
