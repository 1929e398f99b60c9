import type { Batch, Outcome, Subscription } from '@ranger-relay/bus';
import { memoryBus, type MemoryBus, type MemoryBusOptions } from '@ranger-relay/bus/testing';
import { topics, type DeadLetter, type Message, type Observation, type SourceEvent } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger, seededRandom, testContext } from '@ranger-relay/runtime/testing';
import type { ListAnswer } from '@ranger-relay/platform';
import { createForwarding } from '../compose.ts';
import { record } from './events.ts';
import { memorySpace } from '@ranger-relay/kv/testing';

type Item = Observation | Message;
type Call = { part: 'observation' | 'message'; integrationId: string; items: Item[] };

/** What a scripted platform answers to a call; undefined accepts. */
export type Script = (call: Call) => ListAnswer | Error | undefined | Promise<ListAnswer | Error | undefined>;

const batch = (values: readonly unknown[], more: Partial<Batch> = {}): Batch => ({
  topic: topics.sourceEvents.name,
  partition: 3,
  lane: (values[0] as SourceEvent | undefined)?.integration_id ?? 'nobody',
  records: values.map((value, index) => record(value, index)),
  apart: false,
  attempt: 0,
  maybeSent: values.map(() => false),
  announce: async () => true,
  signal: new AbortController().signal,
  ...more,
});

/** Everything around the handler, faked at the ports, and what was seen there. */
export const harness = (
  options: {
    state?: ReturnType<typeof memorySpace>;
    clock?: ReturnType<typeof manualClock>;
    /** Of what this process draws by chance. */
    seed?: number;
    bus?: MemoryBusOptions;
  } = {},
) => {
  const clock = options.clock ?? manualClock();
  const { log, lines } = recordingLogger();
  const context = testContext({ clock, log, random: seededRandom(options.seed ?? 1) });
  const state = options.state ?? memorySpace(clock);
  const calls: Call[] = [];
  const activity: { integrationId: string; payload: Readonly<Record<string, unknown>> }[] = [];
  const wakes = { count: 0 };
  const platform: { script: Script; parked: Set<string>; reads: boolean } = {
    script: () => undefined,
    parked: new Set(),
    reads: true,
  };

  const answer = async (call: Call): Promise<ListAnswer> => {
    calls.push(call);
    const result = (await platform.script(call)) ?? accepted(call.items.length);
    if (result instanceof Error) throw result;
    return result;
  };

  const bus: MemoryBus = memoryBus(clock, options.bus);

  const pool = {
    postObservations: (integrationId: string, items: readonly Observation[]) =>
      answer({ part: 'observation', integrationId, items: [...items] }),
    postMessages: (integrationId: string, items: readonly Message[]) =>
      answer({ part: 'message', integrationId, items: [...items] }),
  };
  /** What is undone of the parked topic, by device; nothing is known while the topic is not read. */
  const undone: Subscription['undone'] = () =>
    platform.reads ? { has: (device) => platform.parked.has(device), names: () => [...platform.parked] } : null;
  const subscription = { wake: () => void (wakes.count += 1), undone } as unknown as Subscription;
  const subscriptions = new Map([[topics.sourceEventsParked.name, subscription]]);
  const forwarding = createForwarding(
    {
      context,
      bus,
      state,
      sensors: { live: pool, parked: pool, emergency: pool },
      activity: { webhook: (_, integrationId, payload) => activity.push({ integrationId, payload }) },
      parkAfterMs: 10_000,
    },
    subscriptions,
  );
  const { handlers } = forwarding;

  return {
    ...forwarding,
    context,
    lines,
    bus,
    clock,
    state,
    calls,
    activity,
    wakes,
    platform,
    batch,
    /** Hands a batch of source events to the handler. */
    handle: (values: readonly unknown[], more: Partial<Batch> = {}): Promise<readonly Outcome[]> =>
      handlers.live(batch(values, more)),
    /** Hands a batch of parked events to the handler. */
    handleParked: (values: readonly unknown[], more: Partial<Batch> = {}): Promise<readonly Outcome[]> =>
      handlers.parked(batch(values, { topic: topics.sourceEventsParked.name, ...more })),
    /** Hands a batch of emergencies to the handler. */
    handleEmergency: (values: readonly unknown[], more: Partial<Batch> = {}): Promise<readonly Outcome[]> =>
      handlers.emergency(batch(values, { topic: topics.emergencies.name, ...more })),
    /** Dead letters written so far. */
    letters: () => bus.values(topics.deadLetters.name) as unknown as DeadLetter[],
    /** What was posted of one part, in order. */
    posted: (part: Call['part']): unknown[] =>
      calls.filter((call) => call.part === part).flatMap(({ items }) => items.map(({ additional }) => additional['n'])),
  };
};

/** The platform took all of a list. */
export const accepted = (count: number): ListAnswer => ({
  kind: 'accepted',
  ids: Array.from({ length: count }, (_, index) => `object-${index}`),
});

/** Kinds of outcomes, for short comparisons. */
export const kinds = (outcomes: readonly Outcome[]): string => outcomes.map(({ kind }) => kind).join(' ');

/** Failures as the sensors client throws them. */
export const failure = {
  outage: (ambiguous = false, retryAfterMs?: number): RelayError =>
    new RelayError('platform_unavailable', {
      details: { reason: 'status 503' },
      ambiguous,
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    }),
  keyRefused: (): RelayError => new RelayError('api_key_refused', { details: { integration: 'x', reason: '401' } }),
  gone: (): RelayError => new RelayError('integration_gone', { details: { integration: 'x' } }),
};
