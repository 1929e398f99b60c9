import {
  type Clock,
  type Logger,
  type MetricName,
  type Metrics,
  type Random,
  systemRandom,
} from '@ranger-relay/runtime';
import type { KeyValue, KvSpaceName } from '../port.ts';
import { type Calls, createCalls } from './calls.ts';
import { describeServer } from './connect.ts';
import { createLink, createOutages, type Link } from './link.ts';
import type { RedisSettings } from './settings.ts';
import { createSpace } from './space.ts';

/** Options of `openRedisKv`. */
export interface RedisKvOptions {
  readonly settings: RedisSettings;
  readonly clock: Clock;
  readonly log: Logger;
  /** Counts round trips in `relay_kv_round_trips_total`. */
  readonly metrics?: Pick<Metrics<MetricName>, 'count'>;
  /** Deadline of a call, default 2000 ms. */
  readonly deadlineMs?: number;
  /** Maximum number of waiting calls per space, default 100,000; more are refused. */
  readonly maxWaiting?: number;
  /** Source of the jitter between attempts to connect. */
  readonly random?: Random;
}

interface Side {
  readonly link: Link;
  readonly calls: Calls;
}

/**
 * Opens the key-value store on a Redis server. It connects in the background: calls wait for the first attempt, and fail with RelayError
 * `kv_unavailable` while the server is unavailable. It reconnects automatically.
 */
export const openRedisKv = (options: RedisKvOptions): KeyValue => {
  const { clock, log, metrics, random = systemRandom, deadlineMs = 2_000, maxWaiting = 100_000 } = options;
  const outages = createOutages(log);

  const sideOf = (space: KvSpaceName): Side => {
    const link = createLink({ space, settings: options.settings, clock, random, log, outages, deadlineMs });
    const onRoundTrip = (): void => metrics?.count('relay_kv_round_trips_total', { space });
    return { link, calls: createCalls({ link, clock, deadlineMs, maxWaiting, onRoundTrip }) };
  };

  const state = sideOf('state');
  const config = sideOf('config');
  const sides = [state, config];
  let closing: Promise<void> | undefined;

  const close = async (): Promise<void> => {
    await Promise.all(sides.map(({ calls }) => calls.close()));
    await Promise.all(sides.map(({ link }) => link.close()));
  };

  const stateSpace = createSpace(state.calls);
  return {
    state: stateSpace,
    reserved: stateSpace,
    config: createSpace(config.calls),
    ready: () => !closing && sides.every(({ link }) => link.client() !== undefined && link.fault() === undefined),
    generation: state.link.generation,
    server: () => describeServer(state.calls.run),
    close: () => (closing ??= close()),
  };
};
