import { metric } from './metrics.ts';
import { readIngestLog, type IngestLogLine } from './platform.ts';
import { send } from './traffic.ts';
import type { Product } from './ways.ts';

/** An SOS that was answered with 200. Times in ms since 1970. */
interface Call {
  readonly source: string;
  readonly n: number;
  readonly sentAt: number;
  readonly acknowledgedAt: number;
}

/** The gauge as it was scraped: it was read somewhere between the two times, ms since 1970. */
interface Sample {
  readonly askedAt: number;
  readonly answeredAt: number;
  readonly gauge: number;
}

/** Of what was measured, seconds. */
export interface Spread {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

/** Value of the gauge every second, compared with the age of the oldest SOS that was not stored, seconds. */
export interface GaugeCheck {
  readonly samples: number;
  /** An SOS had waited for more than five seconds, but the gauge was zero. */
  readonly missed: number;
  /** No SOS waited for five seconds, but the gauge was not zero. */
  readonly wrong: number;
  /** Greatest difference while an SOS waited for more than five seconds. */
  readonly furthest: number;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** An SOS that waits for less need not show on the gauge, ms. */
const settleMs = 5_000;
/** Numbers of SOS events begin here, so that no other event has one. */
const firstNumber = 5_000_000;
const firstSource = 300_434_099_000_000;

export const spreadOf = (ms: readonly number[]): Spread => {
  const sorted = ms.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) / 1_000;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: at(1) };
};

/** Sends SOS events of many devices to one product, and watches when the platform stores them and what the gauge shows. */
export const watchEmergencies = (product: Product) => {
  const calls: Call[] = [];
  const storedAt = new Map<number, number>();
  const samples: Sample[] = [];
  let since = 0;
  const watching = new AbortController();

  const note = ({ kind, outcome, item, at }: IngestLogLine): void => {
    const n = Number(item.additional['altitude']);
    if (kind === 'observation' && outcome === 'stored' && n >= firstNumber && !storedAt.has(n)) storedAt.set(n, at);
  };

  /** Age of the oldest SOS that was acknowledged and not stored at a moment, seconds. */
  const ageAt = (at: number): number => {
    const open = calls.filter(({ n, acknowledgedAt }) => acknowledgedAt < at && (storedAt.get(n) ?? Infinity) > at);
    return open.length === 0 ? 0 : (at - Math.min(...open.map(({ acknowledgedAt }) => acknowledgedAt))) / 1_000;
  };

  /** One SOS waited for more than five seconds before the scrape, and until it was answered. */
  const waitedThroughout = ({ askedAt, answeredAt }: Sample): boolean =>
    calls.some(
      ({ n, acknowledgedAt }) => acknowledgedAt < askedAt - settleMs && (storedAt.get(n) ?? Infinity) > answeredAt,
    );

  /** No SOS was in flight from five seconds before the scrape until its answer. */
  const isIdle = ({ askedAt, answeredAt }: Sample): boolean =>
    !calls.some(({ n, sentAt }) => sentAt < answeredAt && (storedAt.get(n) ?? Infinity) > askedAt - settleMs);

  /** How far the gauge is from every age that the oldest SOS had during the scrape, seconds. */
  const distance = ({ askedAt, answeredAt, gauge: shown }: Sample): number =>
    Math.max(0, ageAt(askedAt) - shown, shown - ageAt(answeredAt));

  const readOn = async (): Promise<void> => {
    since = await readIngestLog(product.platform, since, (lines) => lines.forEach(note));
  };

  const gauge = async (): Promise<number> => {
    const ages = await Promise.all(
      product.forwarderUrls.map((url) => metric(url, 'relay_oldest_unsent_sos_age_seconds').catch(() => 0)),
    );
    return Math.max(...ages);
  };

  const sampling = (async () => {
    while (!watching.signal.aborted) {
      const askedAt = Date.now();
      const shown = await gauge();
      samples.push({ askedAt, answeredAt: Date.now(), gauge: shown });
      await pause(1_000);
    }
  })();

  return {
    /** One SOS of a device of its own; resolves with its number once it is acknowledged. */
    async call(integration: string): Promise<number> {
      const n = firstNumber + calls.length;
      const source = String(firstSource + calls.length);
      const point = { latitude: -1.25, longitude: 36.8, altitude: n, gpsFix: 2, course: 0, speed: 1 };
      const sos = { imei: source, messageCode: 4, freeText: 'help', timeStamp: Date.now(), addresses: [], point };
      const sentAt = Date.now();
      await send(product, integration, sos);
      calls.push({ source, n, sentAt, acknowledgedAt: Date.now() });
      return n;
    },
    readOn,
    gauge,
    /** Ends the watching, also of a test that failed. */
    async stop(): Promise<void> {
      watching.abort();
      await sampling;
    },
    waiting: (): number => calls.filter(({ n }) => !storedAt.has(n)).length,
    /** From the 200, or from a later moment at which the platform works again, to the storing. */
    delays: (numbers: readonly number[], from = 0): Spread =>
      spreadOf(
        calls
          .filter(({ n }) => numbers.includes(n))
          .map(({ n, acknowledgedAt }) => Math.max(0, (storedAt.get(n) ?? Infinity) - Math.max(acknowledgedAt, from))),
      ),
    /** Compares the gauge with the truth; samples within `blind` are left out (no forwarder ran). */
    async check(blind: readonly (readonly [from: number, to: number])[] = []): Promise<GaugeCheck> {
      await this.stop();
      await readOn();
      const isBlind = ({ askedAt, answeredAt }: Sample): boolean =>
        blind.some(([from, to]) => answeredAt >= from && askedAt <= to);
      const seen = samples.filter((sample) => !isBlind(sample));
      const waited = seen.filter(waitedThroughout);
      return {
        samples: seen.length,
        missed: waited.filter(({ gauge: shown }) => shown === 0).length,
        wrong: seen.filter((sample) => isIdle(sample) && sample.gauge > 0).length,
        furthest: Math.max(0, ...waited.map(distance)),
      };
    },
  };
};
