import type { ExecutionContext } from 'ava';
import { followArrivals } from './arrivals.ts';
import { check, type Report, type SentEvent } from './checker.ts';
import type { Cluster } from './cluster.ts';
import { generate, type Answer } from './generator.ts';
import { nameOf } from './in-flight.ts';
import { ingestLogItems, type IngestLogLine } from './platform.ts';
import { until } from './until.ts';

/** Events that keep coming while something is broken and fixed. */
export interface Load {
  /** Every answer of the webhook so far, in order. */
  readonly answers: readonly Answer[];
  readonly sent: readonly SentEvent[];
  acknowledged(): number;
  /** Waits until events flow through to the platform. */
  flowing(): Promise<void>;
  /** Waits for an acknowledgement of a POST that was sent from now on, and for it to come to the platform. */
  flowingAnew(timeoutMs?: number): Promise<void>;
  /** Ends the sending and waits until everything acknowledged has arrived, or the time is over; what was found either way. */
  finish(timeoutMs?: number): Promise<Report>;
  /** Ends the sending at once: a scenario that has failed. */
  abandon(): void;
}

/** How much, and how. */
export interface LoadOptions {
  readonly devices?: number;
  readonly pauseMs?: number;
  readonly repeatShare?: number;
  /** Webhooks to send to; those of the cluster when left out. */
  readonly urls?: readonly string[];
}

let loads = 0;

/** Starts the sending: devices of its own, so that each load of a scenario is checked alone. */
const startLoad = (
  cluster: Pick<Cluster, 'webhookUrls' | 'token' | 'platform'>,
  park: string,
  { devices = 8, pauseMs = 60, repeatShare = 0, urls = cluster.webhookUrls }: LoadOptions = {},
): Load => {
  const answers: Answer[] = [];
  let over = false;
  let abandoned = false;
  loads += 1;
  const generator = generate({
    url: urls.map((url) => `${url}?integration_id=${park}`),
    token: cluster.token,
    devices,
    firstDevice: loads * 100,
    events: 10_000_000,
    perPost: 2,
    textEvery: 5,
    pauseMs,
    repeatShare,
    until: () => over,
    abandoned: () => abandoned,
    onAnswer: (answer) => answers.push(answer),
  });
  let ended = false;
  void generator.finished.then(() => (ended = true));
  const arrivals = followArrivals(cluster.platform, generator.sources);
  const answered = async (): Promise<readonly IngestLogLine[]> =>
    (await arrivals.read()).filter(({ status }) => status === 200);

  return {
    answers,
    sent: generator.sent,
    acknowledged: generator.acknowledged,
    flowing: () => until('events flow', async () => new Set((await answered()).map(nameOf)).size >= 20),
    async flowingAnew(timeoutMs) {
      const from = performance.now();
      const wallClock = Date.now();
      const taken = (): boolean => answers.some(({ at, status }) => at >= from && status === 200);
      await until('events are acknowledged again', taken, timeoutMs);
      const came = async (): Promise<boolean> => (await answered()).some(({ at }) => at >= wallClock);
      await until('events reach the platform again', came, timeoutMs);
    },
    async finish(timeoutMs = 60_000) {
      over = true;
      await until('every POST is acknowledged', () => ended, timeoutMs);
      const all = (): Promise<boolean> => arrivals.complete(generator.sent);
      await until('everything acknowledged has arrived', all, timeoutMs).catch(() => undefined);
      return check(generator.sent, ingestLogItems(await arrivals.read()), { count: 0, inFlight: 0 });
    },
    abandon() {
      over = abandoned = true;
    },
  };
};

/** A load that ends with the test, also when that fails. */
export const loadFor = (t: ExecutionContext, ...args: Parameters<typeof startLoad>): Load => {
  const load = startLoad(...args);
  t.teardown(load.abandon);
  return load;
};
