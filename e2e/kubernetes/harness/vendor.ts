import { followArrivals } from '../../src/harness/arrivals.ts';
import { check, type Report } from '../../src/harness/checker.ts';
import { generate, type Answer, type Generator } from '../../src/harness/generator.ts';
import { inFlightAt, unexplainedRepeats, type Kill } from '../../src/harness/in-flight.ts';
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
  /** Ends the sending at once: a scenario that has failed. */
  abandon(): void;
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

/** Starts it: devices of its own, so that each vendor's events are checked alone. */
export const startVendor = (
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

  return {
    answers,
    acknowledged,
    async finish(events, kills = []) {
      wanted = events;
      await Promise.all(generators.map(({ finished }) => finished));
      const sent = generators.flatMap((generator) => generator.sent);
      const arrivals = followArrivals(
        platform,
        generators.flatMap((generator) => generator.sources),
      );
      // What does not come in time is counted as lost.
      await until('everything acknowledged has come', () => arrivals.complete(sent), arriveMs, 500).catch(
        () => undefined,
      );
      const ingestLog = await arrivals.read();
      const forwarderKills = kills.filter(({ victim }) => victim === 'forwarder');
      const inFlight = inFlightAt(ingestLog, forwarderKills);
      return {
        report: check(sent, ingestLogItems(ingestLog), { count: kills.length, inFlight }),
        unexplained: unexplainedRepeats(ingestLog, forwarderKills),
        statuses: countStatuses(answers),
      };
    },
    abandon() {
      wanted = 0;
      abandoned = true;
    },
  };
};
