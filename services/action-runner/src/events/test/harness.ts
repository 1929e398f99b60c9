import { createActionState } from '@ranger-relay/actions';
import {
  type BusRecord,
  type DeadLetterDraft,
  type DeadLetterFacts,
  deadLetterOf,
  type OutgoingRecord,
} from '@ranger-relay/bus';
import { type DeadLetter, siteEventSchema, topics } from '@ranger-relay/contracts';
import { parseExactJson, RelayError } from '@ranger-relay/errors';
import { memorySpace } from '@ranger-relay/kv/testing';
import { createFailureTracker, createLoneFailures } from '@ranger-relay/platform';
import { createConditions, createMetrics, metricList } from '@ranger-relay/runtime';
import { manualClock, recordingLogger, seededRandom } from '@ranger-relay/runtime/testing';
import { deliveryPolicy } from '../../delivery/consumer.ts';
import { createFileBackoff } from '../../delivery/file-backoff.ts';
import { createDeliveryHandler } from '../../delivery/handler.ts';
import { createActivityReporter } from '../../delivery/activity-reporter.ts';
import { recordsName } from '../../delivery/record.ts';
import { pullEventsConfig } from '../dependencies.ts';
import { createPublishEvents } from '../publish.ts';
import { pullEvents, type PullEventsResult } from '../pull-events.ts';
import { deliveringBus } from './delivering.ts';
import { fakePlatform } from './fake-platform.ts';
import type { Row } from '../../test/lists.ts';
import { fakeSite, siteRoot } from './fake-site.ts';
import { livingSpace } from '../../test/life.ts';
import { createLife, type Life } from './life.ts';

export const integrationId = '11111111-1111-4111-8111-111111111111';

/** An entry of the activity feed. */
export interface Entry {
  readonly level: 'debug' | 'info' | 'warning' | 'error';
  readonly title: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Where the first run begins. */
export const startDatetime = '2025-12-01T00:00:00Z';

/** What a test makes of a run. */
export interface Hooks {
  timeUsed: () => number;
  onBury: () => void;
  signal: AbortSignal;
}

const keyOf = (source: string): string =>
  `integration_state.${integrationId}.${source === 'no-source' ? 'pull_events' : recordsName}.${source}`;

/** A site, a platform and a store, and runs of the action between them. */
export const harness = () => {
  const clock = manualClock();
  /** How far the site's clock stands from ours, ms. */
  const offset = { ms: 0 };
  const site = fakeSite(() => clock.now() + offset.ms);
  const platform = fakePlatform(clock);
  /** Entries expire by the wall clock, which `write` and `run` move. */
  const store = memorySpace({ ...clock, monotonic: clock.now });
  const random = seededRandom(2);
  const entries: Entry[] = [];
  const deadLettered: DeadLetter[] = [];
  const bus = deliveringBus(clock.now);
  let ticks = 0;
  /** Each call takes a moment. */
  const wall = { ...clock, monotonic: () => clock.now() + (ticks += 0.001) };
  /** What a process of the consumer keeps in its memory. */
  const memory = () => ({
    tracker: createFailureTracker(wall, random, deliveryPolicy),
    loneFailures: createLoneFailures(wall),
    fileBackoff: createFileBackoff(wall),
    reporter: createActivityReporter(
      {
        action: (_kind, _id, _action, payload) => {
          const { title, data = {} } = payload as { readonly title: string; readonly data?: Row };
          say('warning')(title, data);
        },
      },
      wall,
    ),
  });
  const { log, lines } = recordingLogger();
  const made: Hooks = { timeUsed: () => 0, onBury: () => undefined, signal: new AbortController().signal };

  const say =
    (level: Entry['level']) =>
    (title: string, data: Row = {}): void =>
      void entries.push({ level, title, data });
  const at = (): string => new Date(clock.now() + offset.ms).toISOString();

  /** Writes an event at the site, or changes one, now. */
  const write = (id: string, members: Row = {}): void => {
    const before = site.events.find((event) => event['id'] === id) ?? {
      id,
      created_at: at(),
      time: at(),
      event_type: 'fire',
      title: null,
      state: 'new',
      priority: 100,
      serial_number: 7,
      location: { latitude: -1.5, longitude: 36.25 },
      notes: [],
      files: [],
    };
    const event = { ...before, ...members, updated_at: at() };
    site.events = [...site.events.filter((one) => one['id'] !== id), event];
    clock.jump(1_000);
  };

  let kept = memory();
  const lettersOf = (life: Life) => ({
    write: (facts: DeadLetterFacts) =>
      life.exchange(() => {
        made.onBury();
        deadLettered.push(deadLetterOf(facts, { now: clock.now(), random }));
      }),
  });

  /** Delivers what is on the bus, as a process does that lives so long; the waits of earlier failures have passed. */
  const deliver = async (life: Life = createLife()): Promise<void> => {
    if (bus.undone().length > 0) clock.jump(40_000);
    const { signal } = made;
    const handle = createDeliveryHandler({
      ...kept,
      clock: wall,
      random,
      log,
      conditions: createConditions({ clock, log, metrics: createMetrics(metricList) }),
      space: livingSpace(store, { live: life.exchange }),
      events: platform.connect(life),
      openSite: async () => site.connect(life),
      deadLetters: lettersOf(life),
      onRecovery: () => kept.tracker.wakeAll(),
    });
    const letterOf = (record: BusRecord, letter: DeadLetterDraft): DeadLetter => {
      const facts = { body: record.value, receivedAt: 0, ...letter, kind: 'site_event', origin: record } as const;
      return deadLetterOf(facts, { now: clock.now(), random });
    };
    const delivering = bus.deliver(handle, signal, (record, letter) => deadLettered.push(letterOf(record, letter)));
    await Promise.race([delivering, life.died]);
  };

  const pull = (config: Row, life: Life): Promise<PullEventsResult> => {
    const space = livingSpace(store, { live: life.exchange });
    const tools = { clock, random: seededRandom(1) };
    const { signal } = made;
    const publish = (_topic: string, records: readonly OutgoingRecord[]): Promise<void> =>
      life.exchange(() => bus.publish(records));
    const where = { topic: topics.siteEvents.name, integrationId, clock, signal };
    return pullEvents({
      integrationId,
      config: pullEventsConfig.parse({ start_datetime: startDatetime, ...config }),
      site: site.connect(life),
      publish: createPublishEvents({ ...where, bus: { publish }, deadLetters: lettersOf(life) }, siteRoot),
      overlapMs: 600_000,
      lateMs: 86_400_000,
      state: createActionState({ space, tools, integrationId, actionId: 'pull_events', signal }),
      feed: { debug: say('debug'), info: say('info'), warning: say('warning'), error: say('error') },
      log,
      clock,
      signal,
      timeUsed: () => made.timeUsed(),
    });
  };

  /** Pulls, and delivers what is on the bus by then. */
  const run = async (config: Row = {}, life: Life = createLife()): Promise<PullEventsResult | 'killed'> => {
    clock.jump(1_000);
    const running = pull(config, life);
    running.catch(() => undefined);
    const ended = await Promise.race([running, life.died]).finally(() => (life.dead ? undefined : deliver(life)));
    if (!life.dead) return ended;
    kept = memory();
    return 'killed';
  };

  return Object.assign(made, {
    refusedKey: () => new RelayError('api_key_refused', { details: { integration: integrationId, reason: 'test' } }),
    clock,
    offset,
    site,
    platform,
    entries,
    deadLettered,
    lines,
    store,
    write,
    run,
    deliver,
    bus,
    /** The rows that the dead letters hold. */
    rowsOfLetters: () =>
      deadLettered.map(
        ({ body_base64: body }) => siteEventSchema.parse(parseExactJson(Buffer.from(body, 'base64').toString())).row,
      ),
    /** What is kept of an event, or of the action as a whole. */
    kept: (source = 'no-source') =>
      JSON.parse(store.entries.get(keyOf(source))?.value ?? 'null') as Readonly<Record<string, unknown>> | null,
    /** Sets the state of the action as a whole. */
    keep: (state: Row) => store.set(keyOf('no-source'), JSON.stringify(state)),
    keptUntil: (source: string) => store.entries.get(keyOf(source))?.until,
    titles: () => entries.map(({ level, title }) => `${level} ${title}`),
  });
};

export type Harness = ReturnType<typeof harness>;
