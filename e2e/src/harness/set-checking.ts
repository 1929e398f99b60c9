import type { Random } from '@ranger-relay/runtime';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { followArrivals } from './arrivals.ts';
import type { SentEvent } from './checker.ts';
import { generate, type GeneratorOptions } from './generator.ts';
import { killRepeatedly, type Kill, type Victim } from './killer.ts';
import { type PlatformProcess, ingestLogItems, type IngestLogLine } from './platform.ts';
import { until } from './until.ts';

/** Faults of a platform and of a gateway in front of it; each affects a call or two. */
const troubles: readonly Readonly<Record<string, unknown>>[] = [
  { fault: 'status', status: 500, when: 'marked' },
  { fault: 'status', status: 500, when: 'after' },
  { fault: 'status', status: 504, when: 'after', body: '<html>Gateway timeout</html>' },
  { fault: 'status', status: 200, body: '<html>Under maintenance</html>' },
  { fault: 'status', status: 200, body: '[]' },
  { fault: 'status', status: 202, body: '{"message":"Accepted"}' },
  { fault: 'status', status: 207, body: '{"message":"Partly"}', when: 'marked' },
  { fault: 'status', status: 400, body: '{"message":"Bad request"}' },
  { fault: 'status', status: 404, body: '' },
  { fault: 'status', status: 405, body: '<html>Not allowed</html>' },
  { fault: 'status', status: 401 },
  { fault: 'status', status: 429, retry_after: 1 },
  { fault: 'short_list' },
  { fault: 'half_body' },
  { fault: 'reset', when: 'after' },
];

const everyMs = 1_500;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Switches faults on, one after the other, until stopped. Resolves with their number. */
export const haveABadDay = async (platform: PlatformProcess, random: Random, over: () => boolean): Promise<number> => {
  let count = 0;
  while (!over()) {
    const trouble = troubles[Math.floor(random.next() * troubles.length)];
    const id = await platform.fault({ ...trouble, endpoint: 'sensors', count: 1 + Math.floor(random.next() * 2) });
    count += 1;
    await pause(everyMs * (0.3 + 1.4 * random.next()));
    // A fault that has affected no request must not wait for requests that it slows.
    await platform.repair(id);
  }
  return count;
};

/** An event that the platform fails on whenever it comes. */
export interface FailingEvent {
  readonly source: string;
  readonly n: number;
}

/** Makes the platform fail on one event permanently; resolves with the id of the switch. */
export const failOn = (platform: PlatformProcess, { source, n }: FailingEvent): Promise<string> =>
  platform.fault({ fault: 'fail_item', endpoint: 'observations', fields: { source, 'additional.altitude': n } });

/** Checks, and their strictness. */
export interface SetCheck {
  readonly platform: PlatformProcess;
  readonly webhookUrls: readonly string[];
  readonly token: string;
  readonly integrations: readonly string[];
  readonly victims: readonly Victim[];
  /** At least so many events. */
  readonly events: number;
  readonly kills: number;
  /** Longest time that a victim stays away, ms. */
  readonly downMs: number;
  /** Between two POSTs of a device, ms. */
  readonly pauseMs: number;
  readonly seed: number;
  /** An event that the platform fails on until everything else has come, or for ever. */
  readonly failing: FailingEvent & { readonly forEver: boolean };
}

/** Sent events, kills, and received items. */
export interface Checked {
  readonly sent: readonly SentEvent[];
  readonly kills: readonly Kill[];
  readonly lines: readonly IngestLogLine[];
  /** Number of faults of the platform or its gateway. */
  readonly troubles: number;
}

const devicesEach = 10;
const slowMs = 20;
const arriveMs = 180_000;
/** An event that fails permanently is dead-lettered after ten minutes, counted again after a store was emptied; then later events arrive. */
const forEverMs = 900_000;

/** Longest time of a whole check, ms. */
export const maxDurationMs = ({ events, kills, failing }: Pick<SetCheck, 'events' | 'kills' | 'failing'>): number =>
  60_000 + events * 60 + kills * 10_000 + (failing.forEver ? forEverMs + arriveMs : 0);

/** The short form runs always; SET_CHECKER_EVENTS and SET_CHECKER_KILLS make it long, SET_CHECKER_SEED repeats its choices. */
export const sizeOf = (events: number, kills: number): Pick<SetCheck, 'events' | 'kills' | 'seed' | 'failing'> => {
  const { SET_CHECKER_EVENTS, SET_CHECKER_KILLS, SET_CHECKER_SEED } = process.env;
  return {
    failing: { source: '300434000000003', n: 40, forEver: SET_CHECKER_EVENTS !== undefined },
    events: Number(SET_CHECKER_EVENTS ?? events),
    kills: Number(SET_CHECKER_KILLS ?? kills),
    seed: Number(SET_CHECKER_SEED ?? Date.now() % 1_000_000),
  };
};

/** Spreads the kills that are left over the events that are left, at the pace of the sending so far. */
const paceOf = ({ events, kills }: SetCheck, acknowledged: () => number, next: () => number) => {
  const began = performance.now();
  return (killed: number): number => {
    const perMs = Math.max(acknowledged(), 1) / (performance.now() - began + 1);
    const leftMs = Math.max(0, events - acknowledged()) / perMs;
    return Math.min(Math.max(500, leftMs / (kills - killed)), 8_000) * (0.3 + 1.4 * next());
  };
};

/** Expected events: all but the one that fails permanently. */
export const owedOf = (sent: readonly SentEvent[], { source, n, forEver }: SetCheck['failing']): readonly SentEvent[] =>
  sent.filter((event) => !forEver || event.source !== source || event.n !== n);

/** Sends under kills until all events are sent and everyone is back, and waits until what was acknowledged has come to the platform. */
export const checkUnderKills = async (options: SetCheck): Promise<Checked> => {
  const { platform, webhookUrls, token, integrations, victims, events, pauseMs, downMs, failing } = options;
  const random = seededRandom(options.seed);
  // A platform that takes its time keeps calls open, so that kills find some.
  await platform.fault({ fault: 'slow', ms: slowMs, endpoint: 'sensors' });
  const failure = await failOn(platform, failing);
  let killing = true;
  let sending = true;
  const badDay = haveABadDay(platform, seededRandom(options.seed + 1), () => !sending);
  const acknowledged = (): number => generators.reduce((sum, one) => sum + one.acknowledged(), 0);
  const send = (more: Pick<GeneratorOptions, 'devices' | 'firstDevice' | 'pauseMs' | 'until'>) =>
    integrations.map((integration, index) =>
      generate({
        url: webhookUrls.map((url) => `${url}?integration_id=${integration}`),
        token,
        events: Number.MAX_SAFE_INTEGER,
        perPost: 3,
        textEvery: 5,
        repeatShare: 0.05,
        ...more,
        firstDevice: index * 100 + (more.firstDevice ?? 0),
      }),
    );
  const generators = send({ devices: devicesEach, pauseMs, until: () => !killing && acknowledged() >= events });
  const betweenMs = paceOf(options, acknowledged, random.next);
  const kills = await killRepeatedly({ victims, kills: options.kills, betweenMs, downMs, random });
  killing = false;
  await Promise.all(generators.map(({ finished }) => finished));
  sending = false;
  const troubles = await badDay;
  const sent = generators.flatMap(({ sent: all }) => all);
  const arrived = followArrivals(platform);
  // Events that do not arrive in time count as lost.
  const come = (owed: readonly SentEvent[], ms: number): Promise<void> =>
    until('everything acknowledged has come', () => arrived.complete(owed), ms, 2_000).catch(() => undefined);
  if (!failing.forEver) {
    await platform.repair(failure);
    await come(sent, arriveMs);
    return { sent, kills, lines: arrived.lines, troubles };
  }
  // An event is given up only while its neighbours are accepted.
  let waiting = true;
  const neighbours = send({ devices: 2, firstDevice: devicesEach, pauseMs: 2_000, until: () => !waiting });
  await come(owedOf(sent, failing), forEverMs);
  waiting = false;
  await Promise.all(neighbours.map(({ finished }) => finished));
  const all = [...sent, ...neighbours.flatMap(({ sent: more }) => more)];
  await come(owedOf(all, failing), arriveMs);
  return { sent: all, kills, lines: arrived.lines, troubles };
};

/** How long after a restart delayed records are in flight again, ms. */
const settleMs = 20_000;

/** From the 200 to the storing, of sources beside the failing one and of events far from a kill, seconds. */
export const latenessOf = (
  sent: readonly SentEvent[],
  lines: readonly IngestLogLine[],
  kills: readonly Kill[],
  failing: FailingEvent,
): { readonly p50: number; readonly p99: number; readonly max: number } => {
  const storedAt = new Map<string, number>();
  for (const [index, { kind, source, n, stored }] of ingestLogItems(lines).entries()) {
    const id = `${source} ${n}`;
    if (kind === 'observation' && stored && !storedAt.has(id)) storedAt.set(id, lines[index]?.at ?? Infinity);
  }
  const isNearKill = (at: number): boolean =>
    kills.some((kill) => at >= kill.at - settleMs && at <= kill.backAt + settleMs);
  const late = sent
    .filter(
      ({ source, acknowledged, acknowledgedAt }) =>
        acknowledged && source !== failing.source && !isNearKill(acknowledgedAt),
    )
    .map(({ source, n, acknowledgedAt }) => ((storedAt.get(`${source} ${n}`) ?? Infinity) - acknowledgedAt) / 1_000)
    .toSorted((a, b) => a - b);
  const at = (share: number): number => late[Math.min(late.length - 1, Math.floor(late.length * share))] ?? 0;
  return { p50: at(0.5), p99: at(0.99), max: at(1) };
};
