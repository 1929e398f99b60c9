import { RelayError } from '@ranger-relay/errors';
import type { Random } from '@ranger-relay/runtime';
import type { Channel, DecideFate, Fate } from './process.ts';
import { pick, type Simulation } from './simulation.ts';

/** What can go wrong with a process. */
export const processFaults = ['kill', 'kill at call', 'freeze', 'stop', 'jump'] as const;
/** What can go wrong on the way to something, for a while. */
export const channelFaults = ['lose requests', 'lose responses', 'refuse', 'slow'] as const;
/** What can go wrong with the bus and the store as a whole. */
export const storageFaults = [
  'rebalance',
  'store restarts empty',
  'store fails over',
  'store restored',
  'topic recreated',
] as const;
/** What counterparts answer, or do instead of it. */
export const counterpartFaults = [
  'status 500',
  'status 500 after marking',
  'status 500 after storing',
  'status 502',
  'status 504 after storing',
  'status 429',
  'status 200 of a gateway',
  'status 400 of a gateway',
  'status 404 of a gateway',
  'hang',
  'hang after storing',
  'reset',
  'reset after storing',
  'half body',
  'short list',
  'down',
  'key refused',
  'settings',
  'clock',
] as const;
/** What can go wrong with the operators and the site of a sync only. */
export const syncFaults = ['crash', 'late'] as const;
/** How the vendor misbehaves when it delivers. */
export const feedFaults = ['close_before_answer', 'repeat', 'parallel', 'regroup'] as const;

/** Something that goes wrong. Plain data, so that a smaller case can be made of a failing one. */
export interface Fault {
  /** ms since the start */
  readonly at: number;
  readonly kind:
    | (typeof processFaults)[number]
    | (typeof channelFaults)[number]
    | (typeof storageFaults)[number]
    | (typeof counterpartFaults)[number]
    | (typeof feedFaults)[number]
    | (typeof syncFaults)[number];
  /** A replica, a channel, or a counterpart. */
  readonly target: string;
  /** How long, ms. */
  readonly ms: number;
  /** How many calls, which call, or how much. */
  readonly amount: number;
}

/** What faults can hit. */
export interface FaultTargets {
  readonly replicas: readonly string[];
  readonly channels: readonly Channel[];
  readonly counterparts: readonly string[];
  readonly feeds: readonly string[];
}

/** Mostly seconds, sometimes minutes, seldom hours. */
const durationOf = (random: Random): number => Math.round(1_000 * 10 ** (random.next() ** 2 * 3.6));

/** Draws one fault of a world of the services. */
export const drawFault = (random: Random, at: number, targets: FaultTargets): Fault => {
  const amount = 1 + Math.floor(random.next() ** 2 * 40);
  const ms = durationOf(random);
  const of = <Kind extends Fault['kind']>(kinds: readonly Kind[], target: string): Fault => {
    return { at, kind: pick(random, kinds), target, ms, amount };
  };
  const chance = random.next();
  if (chance < 0.4) return of(processFaults, pick(random, targets.replicas));
  if (chance < 0.6) return of(channelFaults, pick(random, targets.channels));
  if (chance < 0.7) return of(storageFaults, 'storage');
  if (chance < 0.92) return of(counterpartFaults, pick(random, targets.counterparts));
  return of(feedFaults, pick(random, targets.feeds));
};

/** Draws the faults of a world: on average one each `everyMs`, at random times. */
export const drawFaults = (
  random: Random,
  untilMs: number,
  everyMs: number,
  draw: (random: Random, at: number) => Fault,
): Fault[] => {
  const faults: Fault[] = [];
  for (let at = 0; ;) {
    at += -Math.log(1 - random.next()) * everyMs;
    if (at > untilMs) return faults;
    faults.push(draw(random, Math.round(at)));
  }
};

/** The ways between processes and what they call, with what is wrong on them. */
export interface Ways {
  readonly fate: DecideFate;
  /** Makes a share of the calls of a channel go wrong for a while. */
  disturb(kind: (typeof channelFaults)[number], channel: string, ms: number, share: number): void;
  /** Ends all disturbances. */
  clear(): void;
}

interface Disturbance {
  readonly kind: (typeof channelFaults)[number];
  readonly channel: string;
  readonly until: number;
  readonly share: number;
}

const refusalOf = (channel: Channel): Error => {
  if (channel === 'store') return new RelayError('kv_unavailable', { details: { reason: 'refused' } });
  if (channel.startsWith('http'))
    return new RelayError('http_connect', { details: { target: channel, reason: 'ECONNREFUSED' } });
  return new RelayError('bus_unavailable', { details: { reason: 'refused' } });
};

/** Shortest and longest usual time of a call one way, ms. */
const usual: Readonly<Record<string, readonly [number, number]>> = {
  bus: [1, 8],
  group: [1, 8],
  store: [0.2, 1.5],
  disk: [0.02, 1],
};
const usualHttp = [2, 40] as const;
const slowMs = 8_000;

/** Creates the ways. */
export const createWays = (simulation: Simulation): Ways => {
  const { clock } = simulation;
  const random = simulation.chance('ways');
  let disturbances: Disturbance[] = [];
  const onWay = (channel: Channel): Disturbance | undefined => {
    if (disturbances.length === 0) return undefined;
    const now = clock.monotonic();
    disturbances = disturbances.filter(({ until }) => until > now);
    return disturbances.find((each) => each.channel === channel && random.next() < each.share);
  };
  return {
    clear: () => void (disturbances = []),
    disturb(kind, channel, ms, share) {
      disturbances.push({ kind, channel, until: clock.monotonic() + ms, share });
    },
    fate(_, channel) {
      const [least, most] = usual[channel] ?? usualHttp;
      const oneWay = (): number => least + random.next() ** 3 * (most - least);
      const fate: Fate = { thereMs: oneWay(), backMs: oneWay() };
      const disturbance = onWay(channel);
      switch (disturbance?.kind) {
        case undefined:
          return fate;
        case 'lose requests':
          return { ...fate, lost: 'request' };
        case 'lose responses':
          return { ...fate, lost: 'response' };
        case 'slow':
          return { ...fate, thereMs: random.next() * slowMs, backMs: random.next() * slowMs };
        case 'refuse':
          return { ...fate, refusal: () => refusalOf(channel) };
      }
    },
  };
};
