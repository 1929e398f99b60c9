import { type KvSpace, unlessUnavailable } from '@ranger-relay/kv';
import { delayFor, type Backoff, type Clock, type Random, type Timer } from '@ranger-relay/runtime';
import type { FailureTracker } from './failure-tracker.ts';

/**
 * Shares successes and recoveries with other forwarders through the store, so that a process that serves only failing integrations learns
 * that the platform works. Best effort; it compares values, never clocks.
 */
export interface Peers {
  succeeded(integrationId: string, recovered: boolean): void;
  /** Records a local failure: the process polls the other forwarders as long as any integration fails. */
  failed(): void;
  stop(): void;
}

/** Dependencies of the peers. */
export interface PeersDependencies {
  readonly state: KvSpace;
  readonly clock: Clock;
  readonly random: Random;
  readonly tracker: Pick<FailureTracker, 'isAnyFailing' | 'succeededElsewhere'>;
  /** Called when another process saw an integration recover. */
  readonly onRecovered: () => void;
}

const slotCount = 8;
/** Interval between polls of the other forwarders' entries. */
const listening: Backoff = { baseMs: 2_000, maxMs: 15_000, jitterMs: 0 };
const writeEveryMs = 5_000;
const ttlMs = 60_000;
const recoveryKey = 'forwarder.recovered';
const slotKeys = Array.from({ length: slotCount }, (_, slot) => `forwarder.succeeded.${slot}`);

const slotOf = (id: string): number => [...id].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0) % slotCount;

/** Creates the peers of one process. */
export const createPeers = ({ state, clock, random, tracker, onRecovered }: PeersDependencies): Peers => {
  const nonce = random.uuid();
  const writtenAt = new Map<string, number>();
  let written = 0;
  let seen: readonly (string | null)[] | undefined;

  const write = (key: string, value: string): void => {
    written += 1;
    void unlessUnavailable(state.set(key, `${value}|${nonce}|${written}`, { ttlMs }));
  };

  const compare = (now: readonly (string | null)[]): void => {
    const news = now.filter((value, index) => value !== null && value !== seen?.[index] && !value.includes(nonce));
    if (seen === undefined) return;
    for (const value of news) {
      const [id = ''] = value?.split('|') ?? [];
      if (id === recoveryKey) onRecovered();
      else tracker.succeededElsewhere(id);
    }
  };

  const poll = async (): Promise<void> => {
    const now = await Promise.all([...slotKeys, recoveryKey].map((key) => state.get(key)));
    compare(now);
    seen = now;
  };

  const listen = (polls: number): void => {
    timer = clock.after(delayFor(listening, polls, random), () => {
      if (!tracker.isAnyFailing()) {
        timer = undefined;
        seen = undefined;
        return;
      }
      void unlessUnavailable(poll()).finally(() => listen(polls + 1));
    });
  };
  let timer: Timer | undefined;

  return {
    failed() {
      if (!timer) listen(0);
    },
    succeeded(id, recovered) {
      const now = clock.monotonic();
      if (recovered) write(recoveryKey, recoveryKey);
      if (now - (writtenAt.get(id) ?? -Infinity) < writeEveryMs) return;
      writtenAt.set(id, now);
      write(slotKeys[slotOf(id)] ?? recoveryKey, id);
    },
    stop: () => timer?.cancel(),
  };
};
