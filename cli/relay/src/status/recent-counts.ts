import { type Context, repeatAtRate } from '@ranger-relay/runtime';
import { countsBy } from './server/counters.ts';

/** Counts of the last minute, by outcome. */
export type Outcomes = ReadonlyMap<string, number>;

/** Counts at both ends of the chain in the last minute. */
export interface RecentCounts {
  /** Requests of the vendor by status of the answer. */
  readonly webhooks: Outcomes;
  /** Calls to the platform and to its sensors API by outcome. */
  readonly platform: Outcomes;
  readonly sensors: Outcomes;
}

const everyMs = 10_000;
const kept = 7;

const read = async ({ metrics }: Pick<Context, 'metrics'>): Promise<RecentCounts> => {
  const calls = (upstream: string) => countsBy(metrics, 'relay_http_calls_total', 'outcome', { upstream });
  const webhooks = await countsBy(metrics, 'relay_webhook_requests_total', 'status');
  return { webhooks, platform: await calls('platform'), sensors: await calls('sensors') };
};

const since = (now: Outcomes, before: Outcomes | undefined): Outcomes =>
  new Map([...now].map(([name, n]) => [name, n - (before?.get(name) ?? 0)] as const).filter(([, n]) => n > 0));

/** Samples the counts of the process every ten seconds until it ends. Returns those of the last minute. */
export const followCounts = (
  context: Pick<Context, 'metrics' | 'clock' | 'lifecycle' | 'log'>,
): (() => Promise<RecentCounts>) => {
  const samples: RecentCounts[] = [];
  const sample = async (): Promise<void> => {
    samples.push(await read(context));
    if (samples.length > kept) samples.shift();
  };
  const failed = (error: unknown): void =>
    context.log.warn({ err: error }, 'the counts of the process could not be read');
  const stop = repeatAtRate({ clock: context.clock, everyMs }, () => sample().catch(failed));
  context.lifecycle.onStop('recent counts', stop);
  return async () => {
    const now = await read(context);
    const [before] = samples;
    return {
      webhooks: since(now.webhooks, before?.webhooks),
      platform: since(now.platform, before?.platform),
      sensors: since(now.sensors, before?.sensors),
    };
  };
};
