import type { Bus, BusRecord } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { isRelayError, toRelayError } from '@ranger-relay/errors';
import {
  type Backoff,
  createRateLimitedLog,
  delayFor,
  type Logger,
  pause,
  type Random,
  retry,
} from '@ranger-relay/runtime';
import { applyConfigEvent, readConfigEvent, type ConfigTarget } from './config-events.ts';

export interface FollowOptions extends ConfigTarget {
  readonly bus: Pick<Bus, 'read'>;
  readonly random: Random;
  readonly log: Logger;
}

/** A running follower. */
export interface Following {
  close(): Promise<void>;
}

const topic = topics.configEvents.name;
const backoff: Backoff = { baseMs: 500, maxMs: 30_000, jitterMs: 500 };

const onError = (error: unknown, delayMs: number): number | null =>
  isRelayError(error) && error.next === 'retry' ? delayMs : null;

/**
 * Applies every new config event to this process's cache and to the store. Reads without a group, so that every process receives every event and
 * no group delays retention. Continues at its position after failures of the bus; retries an event while the store is unavailable.
 */
export const followConfigEvents = (options: FollowOptions): Following => {
  const { bus, random, log, clock } = options;
  const stop = new AbortController();
  const offsets = new Map<number, bigint>();
  const limitedLog = createRateLimitedLog({ log, clock });

  const apply = async (record: BusRecord): Promise<void> => {
    const event = readConfigEvent(record.value, record.headers);
    if (!event)
      return limitedLog.warn(
        'unreadable',
        { topic, offset: String(record.offset) },
        'a config event could not be read',
      );
    try {
      await retry({ backoff, clock, random, signal: stop.signal, onError }, () => applyConfigEvent(options, event));
    } catch (error) {
      if (!stop.signal.aborted)
        log.error({ err: error, type: event.event_type }, 'a config event could not be applied');
    }
  };

  const follow = async (): Promise<void> => {
    for await (const record of bus.read({ topic, offsets, from: 'latest', follow: true, signal: stop.signal })) {
      if (stop.signal.aborted) return;
      await apply(record);
      offsets.set(record.partition, record.offset + 1n);
    }
  };

  const run = async (): Promise<void> => {
    for (let attempt = 0; !stop.signal.aborted; attempt += 1) {
      const began = clock.monotonic();
      try {
        await follow();
      } catch (error) {
        const err = toRelayError(error);
        if (!stop.signal.aborted) limitedLog.warn(err.code, { err }, 'config events cannot be read now');
      }
      if (clock.monotonic() - began > backoff.maxMs) attempt = 0;
      if (!stop.signal.aborted) await pause(clock, delayFor(backoff, attempt, random), stop.signal);
    }
  };

  const running = run();
  return {
    async close() {
      stop.abort();
      await running;
    },
  };
};
