import type { ExecutionContext } from 'ava';
import { followArrivals } from '../../src/harness/arrivals.ts';
import { check, type Report } from '../../src/harness/checker.ts';
import { generate, type Answer, type Generator } from '../../src/harness/generator.ts';
import { inFlightAt, unexplainedRepeats, type Kill } from '../../src/harness/in-flight.ts';
import { assertWhole } from '../../src/harness/outage.ts';
import { ingestLogItems } from '../../src/harness/platform.ts';
import { until } from '../../src/harness/until.ts';
import type { Release } from './release.ts';

/** The vendor outside the cluster, posting to the Service until it is told to end. */
export interface Vendor {
  readonly answers: readonly Answer[];
  acknowledged(): number;
  /**
   * Ends the sending once so many events are acknowledged, and waits until what was acknowledged has come to the platform.
   * @param kills what was killed meanwhile
   */
  finish(events: number, kills?: readonly Kill[]): Promise<Findings>;
}

/** What was found of everything that was sent. */
export interface Findings {
  readonly report: Report;
  /** Repeats of what was in flight at no kill. */
  readonly unexplained: readonly string[];
  /** How often each status was answered; 0 where a connection broke. */
  readonly statuses: Readonly<Record<number, number>>;
}

/** How much is sent, and how. */
export interface VendorOptions {
  readonly integrations: readonly string[];
  /** Of each integration. */
  readonly devices: number;
  /** Between two POSTs of a device, ms. */
  readonly pauseMs: number;
}

const arriveMs = 120_000;
let devicesSoFar = 0;

const countStatuses = (answers: readonly Answer[]): Record<number, number> => {
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

/** Starts it: devices of its own, so that each vendor's events are checked alone. It ends with the test. */
export const vendorFor = (
  t: Pick<ExecutionContext, 'teardown'>,
  { webhookUrl, token, platform }: Pick<Release, 'webhookUrl' | 'token' | 'platform'>,
  { integrations, devices, pauseMs }: VendorOptions,
): Vendor => {
  const answers: Answer[] = [];
  let wanted = Infinity;
  let abandoned = false;
  let total = 0;
  const acknowledged = (): number => total;
  const generators: readonly Generator[] = integrations.map((integration) => {
    const firstDevice = devicesSoFar;
    devicesSoFar += devices;
    return generate({
      url: `${webhookUrl}?integration_id=${integration}`,
      token,
      devices,
      firstDevice,
      events: 10_000_000,
      perPost: 3,
      textEvery: 5,
      pauseMs,
      repeatShare: 0.02,
      until: () => total >= wanted,
      abandoned: () => abandoned,
      onAcknowledged: (events) => (total += events),
      onAnswer: (answer) => answers.push(answer),
    });
  });
  t.teardown(() => {
    wanted = 0;
    abandoned = true;
  });

  return {
    answers,
    acknowledged,
    async finish(events, kills = []) {
      wanted = events;
      await Promise.all(generators.map(({ finished }) => finished));
      const sent = generators.flatMap((generator) => generator.sent);
      const sources = generators.flatMap((generator) => generator.sources);
      const arrivals = followArrivals(platform, sources);
      const all = (): Promise<boolean> => arrivals.complete(sent);
      // What does not come in time is counted as lost.
      await until('everything acknowledged has come', all, arriveMs, 500).catch(() => undefined);
      const ingestLog = await arrivals.read();
      const forwarderKills = kills.filter(({ victim }) => victim === 'forwarder');
      const inFlight = inFlightAt(ingestLog, forwarderKills);
      return {
        report: check(sent, ingestLogItems(ingestLog), { count: kills.length, inFlight }),
        unexplained: unexplainedRepeats(ingestLog, forwarderKills),
        statuses: countStatuses(answers),
      };
    },
  };
};

/** Nothing is lost or out of order, and what came again was in flight at a kill. */
export const assertExplained = (t: ExecutionContext, found: Omit<Findings, 'statuses'>): void => {
  const { report, unexplained } = found;
  assertWhole(t, report);
  t.deepEqual(unexplained.slice(0, 20), [], 'repeats of what was not in flight at a kill');
  t.true(report.duplicates <= report.inFlightAtKills, 'duplicates within the bound');
};
