import { seededRandom } from '@ranger-relay/runtime/testing';
import type { SentEvent } from './checker.ts';
import { generate } from './generator.ts';
import { killRepeatedly, type Kill, type Victim } from './killer.ts';
import type { DoorLine, PlatformProcess } from './platform.ts';
import { until } from './until.ts';

/** What is checked, and how hard. */
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
}

/** What was sent, what was killed, and what came. */
export interface Checked {
  readonly sent: readonly SentEvent[];
  readonly kills: readonly Kill[];
  readonly lines: readonly DoorLine[];
}

const devicesEach = 10;
const slowMs = 20;
const arriveMs = 90_000;

/** The short form runs always; SET_CHECKER_EVENTS and SET_CHECKER_KILLS make it long, SET_CHECKER_SEED repeats its choices. */
export const sizeOf = (events: number, kills: number): Pick<SetCheck, 'events' | 'kills' | 'seed'> => {
  const { SET_CHECKER_EVENTS, SET_CHECKER_KILLS, SET_CHECKER_SEED } = process.env;
  return {
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

const arrivedAll = async (platform: PlatformProcess, sent: readonly SentEvent[]): Promise<boolean> => {
  const owed = sent.reduce((sum, { text }) => sum + (text ? 2 : 1), 0);
  const { observation, message } = (await platform.stats()).items;
  return (observation?.['stored'] ?? 0) + (message?.['stored'] ?? 0) >= owed;
};

/** Sends under kills until all events are sent and everyone is back, and waits until what was acknowledged has come to the platform. */
export const checkUnderKills = async (check: SetCheck): Promise<Checked> => {
  const { platform, webhookUrls, token, integrations, victims, events, pauseMs, downMs } = check;
  const random = seededRandom(check.seed);
  // A platform that takes its time keeps calls open, so that kills find some.
  await platform.fault({ fault: 'slow', ms: slowMs, endpoint: 'sensors' });
  let killing = true;
  const acknowledged = (): number => generators.reduce((sum, one) => sum + one.acknowledged(), 0);
  const generators = integrations.map((integration, index) =>
    generate({
      url: webhookUrls.map((url) => `${url}?integration_id=${integration}`),
      token,
      devices: devicesEach,
      firstDevice: index * 100,
      events: Number.MAX_SAFE_INTEGER,
      perPost: 3,
      textEvery: 5,
      pauseMs,
      repeatShare: 0.05,
      until: () => !killing && acknowledged() >= events,
    }),
  );
  const betweenMs = paceOf(check, acknowledged, random.next);
  const kills = await killRepeatedly({ victims, kills: check.kills, betweenMs, downMs, random });
  killing = false;
  await Promise.all(generators.map(({ finished }) => finished));
  const sent = generators.flatMap(({ sent: all }) => all);
  // What does not come in time is counted as lost.
  await until('everything acknowledged has come', () => arrivedAll(platform, sent), arriveMs).catch(() => undefined);
  return { sent, kills, lines: await platform.door() };
};
