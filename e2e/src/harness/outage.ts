import type { ExecutionContext } from 'ava';
import type { Report } from './checker.ts';
import type { Cluster } from './cluster.ts';
import type { Load } from './load.ts';
import { healthBetween, type HealthReport, type Probes } from './probes.ts';
import { until } from './until.ts';

/** Bounds of the acceptance, ms. */
export const bounds = { answer: 5_000, notReady: 6_000, recovery: 5_000, health: 50, healthAtMost: 1_000 } as const;

/** Measurements of one outage, ms. */
export interface Figures {
  readonly notReadyMs: number;
  readonly slowest503Ms: number;
  readonly refusals: number;
  readonly first200Ms: number;
  readonly readyMs: number;
}

/** No answer was late, none was anything but 200 or a 503 that says when to come back. */
export const assertAnswers = (t: ExecutionContext, { answers }: Pick<Load, 'answers'>): void => {
  const others = answers.filter(({ status }) => status !== 200 && status !== 503);
  const late = answers.filter(({ ms }) => ms > bounds.answer);
  const hasty = answers.filter(({ status, retryAfter }) => status === 503 && !(Number(retryAfter) > 0));
  t.deepEqual([others, late, hasty], [[], [], []]);
};

/** Everything acknowledged came, once, in order. */
export const assertWhole = (t: ExecutionContext, report: Report): void => {
  t.log(`checker: ${JSON.stringify(report)}`);
  t.true(report.acknowledged > 0);
  t.is(report.acknowledged, report.events);
  t.is(report.lost, 0, 'lost');
  t.is(report.orderViolations, 0, 'order violations');
  t.is(report.messageFirst, 0, 'messages before the first observation');
};

/** True when health was asked often enough to be judged. */
export const isJudged = ({ probes }: HealthReport): boolean => probes >= 20;

/** The services are alive throughout and answer their health routes at once. */
export const assertHealth = (t: ExecutionContext, probes: Probes, from: number, to: number): void => {
  const health = healthBetween(probes, from, to);
  t.log(`health: ${JSON.stringify(health)}`);
  t.true(isJudged(health), `${health.probes} probes`);
  t.is(health.notAlive, 0);
  t.true(Number.isFinite(health.worstStretch));
  t.true(health.worstStretch < bounds.health, `health took ${health.worstStretch} ms for seconds`);
  t.true(health.maxBeyondBare < bounds.healthAtMost, `health took ${health.max} ms`);
};

/** Stops the brokers under load, checks the responses meanwhile, and restarts them. */
export const throughOutage = async (
  t: ExecutionContext,
  { load, probes }: { readonly load: Load; readonly probes: Probes },
  fault: { readonly begin: () => Promise<void>; readonly end: () => Promise<void>; readonly lastsMs?: number },
): Promise<Figures> => {
  await load.flowing();
  const from = performance.now();
  await fault.begin();
  const begun = performance.now();
  const notReadyMs = await probes.readiness('webhook-ingester', false, from, bounds.notReady);
  const refused = (): number => load.answers.filter(({ at, status }) => at > begun && status === 503).length;
  await until('POSTs are refused', () => refused() >= 8, 10_000);
  const { lastsMs = 0 } = fault;
  await until('the fault has lasted', () => performance.now() - from >= lastsMs, lastsMs + 5_000);
  const late = load.answers.filter(({ at, status }) => at > begun && status === 200);
  t.deepEqual(late, [], 'nothing is acknowledged while the brokers are away');
  const mending = performance.now();
  await fault.end();
  const back = performance.now();
  assertHealth(t, probes, begun, mending);

  const first = () => load.answers.find(({ at, ms, status }) => status === 200 && at + ms >= mending);
  await until('POSTs are acknowledged', () => first() !== undefined, 15_000);
  const taken = first();
  const first200Ms = Math.max(0, (taken ? taken.at + taken.ms : Infinity) - back);
  const readyMs = await probes.readiness('webhook-ingester', true, back, 15_000);
  await probes.readiness('observation-forwarder', true, back, 15_000);
  await load.flowingAnew(10_000);
  const refusals = load.answers.filter(({ status }) => status === 503);
  return {
    notReadyMs,
    slowest503Ms: Math.max(...refusals.map(({ ms }) => ms)),
    refusals: refusals.length,
    first200Ms,
    readyMs,
  };
};

/** The bounds of an outage, and the work whole at its end. */
export const assertRecovered = async (t: ExecutionContext, figures: Figures, load: Load): Promise<void> => {
  const rounded = Object.entries(figures).map(([name, ms]) => [name, Math.round(Number(ms))]);
  t.log(`figures: ${JSON.stringify(Object.fromEntries(rounded))}`);
  t.true(figures.first200Ms <= bounds.recovery, `first 200 after ${figures.first200Ms} ms`);
  t.true(figures.readyMs <= bounds.recovery, `ready after ${figures.readyMs} ms`);
  const report = await load.finish();
  assertAnswers(t, load);
  assertWhole(t, report);
  t.is(report.duplicates, 0, 'duplicates');
};

/** Health routes of every service of a cluster. */
export const everyReplica = ({ ingesters, forwarders }: Cluster) => [...ingesters, ...forwarders];

/** Longest time without an acknowledgement between two moments, ms. */
export const maxSilenceMs = ({ answers }: Pick<Load, 'answers'>, from: number, to: number): number => {
  const taken = answers.flatMap(({ at, ms, status }) => (status === 200 ? [at + ms] : []));
  const moments = [from, ...taken.filter((moment) => moment > from && moment < to), to].sort((a, b) => a - b);
  return Math.max(...moments.slice(1).map((moment, index) => moment - (moments[index] ?? moment)));
};
