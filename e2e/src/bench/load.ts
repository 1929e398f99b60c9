import { startChild } from './child.ts';
import { usageOf } from './proc.ts';

/** Content of the bodies of POSTs: events of devices, or pushed commands to run an action. */
export type Bodies =
  | { readonly kind: 'events'; readonly eventsPerPost: number }
  | { readonly kind: 'commands'; readonly integrationIds: readonly string[]; readonly actionId: string };

/** Target of POSTs. */
export interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A run of so many seconds, at full speed or at a rate of POSTs a second. */
export interface Shape {
  readonly bodies: Bodies;
  readonly seconds: number;
  readonly rate?: number;
}

/** Instructions to the posting process. */
export interface Order extends Target, Shape {
  readonly connections: number;
}

/** Result of a job; latencies in ms, sorted. */
export interface Load {
  readonly posts: number;
  readonly failed: number;
  readonly seconds: number;
  readonly latencies: readonly number[];
}

/** A server under load and what it cost. */
export interface Cost {
  readonly cpuMicrosPerPost: number;
  readonly postsPerSecond: number;
  readonly p99Ms: number;
  readonly rssBytes: number;
}

const defaultConnections = 64;

const quantile = (sorted: readonly number[], q: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * q))] ?? NaN;

/** A process that posts. */
export interface Loader {
  /** @throws when a POST is not answered with 200 */
  once(target: Target, shape: Shape, connections?: number): Promise<Load>;
  /** Warms the process up, then measures what posting costs it. */
  measure(pid: number, target: Target, shape: Shape): Promise<Cost>;
  end(): Promise<void>;
}

/** Starts a process that posts. */
export const startLoader = async (): Promise<Loader> => {
  const child = await startChild<string>('./load-child.ts');
  const once: Loader['once'] = async (target, shape, connections = defaultConnections) => {
    const result = await child.ask<Load>({ ...target, ...shape, connections } satisfies Order);
    if (result.failed > 0) throw new Error(`${result.failed} POSTs were not answered with 200`);
    return result;
  };
  return {
    once,
    async measure(pid, target, shape) {
      await once(target, { ...shape, seconds: Math.min(2, shape.seconds) });
      const before = usageOf(pid);
      const result = await once(target, shape);
      const after = usageOf(pid);
      return {
        cpuMicrosPerPost: ((after.cpuSeconds - before.cpuSeconds) * 1e6) / result.posts,
        postsPerSecond: result.posts / result.seconds,
        p99Ms: quantile(result.latencies, 0.99),
        rssBytes: after.rssBytes,
      };
    },
    end: () => child.end(),
  };
};
