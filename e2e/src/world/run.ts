import type { DeadLetter, SiteEventRecord, SourceEvent } from '@ranger-relay/contracts';
import { violationsOf } from './checks.ts';
import { drawFault, drawFaults, type Fault } from './faults.ts';
import { sealed } from './sealed.ts';
import { createSimulation, type Observers, pick } from './simulation.ts';
import { heal, strike, targetsOf } from './strike.ts';
import type { Violation } from './truth.ts';
import { createWorld, type World, type WorldOptions } from './world.ts';

const [minuteMs, hourMs] = [60_000, 3_600_000];

/** What every report has. */
export interface AnyReport {
  readonly seed: number;
  /** Of the whole history: two runs of one world have the same. */
  readonly hash: string;
  readonly steps: number;
  readonly simulatedMs: number;
  readonly kills: number;
  /** By kind. */
  readonly faults: Readonly<Record<string, number>>;
  readonly violations: readonly Violation[];
}

/** What happened in a world. */
export interface Report extends AnyReport {
  readonly events: number;
  readonly rows: number;
  readonly texts: number;
  /** Items that the platform accepted once more. */
  readonly repeats: number;
  readonly deadLettered: number;
}

/** The platform's log keeps 100,000 lines: what a backlog brings in this time must fit, ms. */
const watchMs = 1_000;
/** Longest time until a world without faults must have done everything, ms. */
const quietMs = 48 * hourMs;
/** Longest time until leases and sessions of processes that ended are over, ms. */
const settlingMs = 10 * minuteMs;
/** Time for what comes twice to come again, ms. */
const afterwardsMs = 45 * minuteMs;

/** Reads what the platform stored, and what was dead-lettered, since the last look. */
const createReader = ({ platform, bus, inbound, truth, simulation }: World): (() => void) => {
  let since = 0;
  let sent = 0;
  const letters = bus.reader<DeadLetter>('dead-letters');
  return () => {
    for (let end = since + 1; since < end;) {
      const page = platform.ingestLog.read({ since, limit: 2_000 });
      if (page.first > since) throw new Error(`the platform's log dropped lines ${since} to ${page.first} unread`);
      truth.see(page.entries);
      [since, end] = [page.next, page.end];
    }
    const texts = inbound.messages().slice(sent);
    sent += texts.length;
    for (const { text } of texts) truth.sent(text, simulation.clock.now());
    for (const { kind, body_base64, reason } of letters()) {
      const body = (): unknown => JSON.parse(Buffer.from(body_base64, 'base64').toString());
      if (kind === 'observation' || kind === 'message') truth.deadLettered(body() as SourceEvent, reason);
      if (kind === 'site_event') truth.reportDeadLettered(String((body() as SiteEventRecord).row['title']), reason);
    }
  };
};

/** How often each of these is there. */
export const countsOf = (kinds: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};

const live = async (options: WorldOptions, observers: Observers, unhandled: Violation[]): Promise<Report> => {
  const world = await createWorld(options, observers);
  const { simulation, population, truth, replicas } = world;
  const { clock } = simulation;
  const read = createReader(world);
  const watch = (): void => void clock.after(watchMs, () => (read(), watch()));
  watch();
  for (const fault of options.faults) clock.after(fault.at, () => strike(fault, world));
  await simulation.run(options.ms);
  population.stop();
  await heal(world, options.parks);
  simulation.note('quiet');
  await simulation.run(options.ms + quietMs, () => !population.waiting() && truth.complete());
  const quietAt = clock.now() + settlingMs;
  await simulation.run(clock.monotonic() + afterwardsMs);
  read();
  const violations = [...(await violationsOf(world, options, quietAt)), ...unhandled];
  return {
    seed: options.seed,
    hash: simulation.hash(),
    steps: simulation.steps(),
    simulatedMs: clock.monotonic(),
    events: population.events(),
    rows: population.rows(),
    texts: population.texts.length,
    kills: replicas.reduce((sum, replica) => sum + replica.kills(), 0),
    faults: countsOf(options.faults.map(({ kind }) => kind)),
    repeats: truth.counts.repeats,
    deadLettered: truth.counts.deadLettered,
    violations,
  };
};

/**
 * Runs a world of any kind where nothing reaches the machine; promises that nobody handles are violations.
 * @throws Error when something in it asks the machine for time or chance
 */
export const runSealed = async <T>(seed: number, live: (unhandled: Violation[]) => Promise<T>): Promise<T> => {
  const unhandled: Violation[] = [];
  const onUnhandled = (reason: unknown): void =>
    void unhandled.push({
      rule: 'unhandled',
      what: reason instanceof Error ? (reason.stack ?? '') : String(reason),
      about: [],
    });
  process.on('unhandledRejection', onUnhandled);
  try {
    return await sealed(createSimulation(seed).chance('bytes'), () => live(unhandled));
  } finally {
    process.off('unhandledRejection', onUnhandled);
  }
};

/** Runs a world to its end and checks every invariant. @throws as {@link runSealed} */
export const runWorld = (options: WorldOptions, observers: Observers = {}): Promise<Report> =>
  runSealed(options.seed, (unhandled) => live(options, observers, unhandled));

/** Parts of a world that are given instead of drawn. */
export type WorldChange = Partial<WorldOptions> & {
  /** Average time between two faults, ms. */
  readonly faultEveryMs?: number;
};

/** Draws a world from a seed. */
export const drawWorld = (seed: number, change: WorldChange = {}): WorldOptions => {
  const random = createSimulation(seed).chance('world');
  const between = (least: number, most: number): number => least + Math.floor(random.next() * (most - least + 1));
  const shape = {
    seed,
    parks: between(1, 3),
    devices: between(2, 12),
    intervalMs: between(1, 10) * minuteMs,
    textEveryMs: between(3, 30) * minuteMs,
    rowEveryMs: between(1, 10) * minuteMs,
    ms: between(2, 12) * hourMs,
    ambiguous: pick(random, ['resend', 'hold'] as const),
    replicas: {
      'webhook-ingester': between(1, 2),
      'observation-forwarder': between(1, 3),
      'message-pusher': between(1, 2),
      'action-runner': between(1, 2),
    },
    ...change,
  };
  const { faultEveryMs = between(1, 30) * minuteMs, ...options } = shape;
  const targets = targetsOf(options);
  const faults = (): Fault[] =>
    drawFaults(random, options.ms, faultEveryMs, (chance, at) => drawFault(chance, at, targets));
  return { ...options, faults: change.faults ?? faults() };
};
