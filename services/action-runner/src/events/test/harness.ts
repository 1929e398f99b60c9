import { createActionState } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { memorySpace } from '@ranger-relay/kv/testing';
import { manualClock, recordingLogger, seededRandom } from '@ranger-relay/runtime/testing';
import { pullEventsConfig } from '../parts.ts';
import type { DeadLetterRequest } from '../dead-letter.ts';
import { pullEvents, type PullEventsResult } from '../pull-events.ts';
import { fakePlatform } from './fake-platform.ts';
import type { Row } from '../../test/lists.ts';
import { fakeSite } from './fake-site.ts';
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

const keyOf = (source: string): string => `integration_state.${integrationId}.pull_events.${source}`;

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
  const deadLettered: DeadLetterRequest[] = [];
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

  const run = async (config: Row = {}, life: Life = createLife()): Promise<PullEventsResult | 'killed'> => {
    clock.jump(1_000);
    const space = livingSpace(store, { live: life.exchange });
    const tools = { clock, random: seededRandom(1) };
    const { signal } = made;
    const running = pullEvents({
      integrationId,
      config: pullEventsConfig.parse({ start_datetime: startDatetime, ...config }),
      site: site.connect(life),
      events: platform.connect(life),
      overlapMs: 600_000,
      lateMs: 86_400_000,
      state: createActionState({ space, tools, integrationId, actionId: 'pull_events', signal }),
      feed: { debug: say('debug'), info: say('info'), warning: say('warning'), error: say('error') },
      log,
      clock,
      random,
      signal,
      timeUsed: () => made.timeUsed(),
      deadLetter: (burial) =>
        life.exchange(() => {
          made.onBury();
          deadLettered.push(burial);
        }),
    });
    running.catch(() => undefined);
    return Promise.race([running, life.died]);
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
