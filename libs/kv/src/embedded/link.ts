import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { Clock, Logger, Timer } from '@ranger-relay/runtime';
import type { SqliteFile, SqlRow, SqlWrite } from '@ranger-relay/sqlite';
import { statements } from './statements.ts';

export interface LinkOptions {
  /** Opens the file, at the start and after it was lost. */
  readonly open: () => Promise<SqliteFile>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Deadline of a unit, ms. */
  readonly deadlineMs: number;
}

/** The open file and its health. */
export interface Link {
  /** @throws RelayError `kv_unavailable` */
  carry(unit: readonly SqlWrite[]): Promise<readonly (readonly SqlRow[])[]>;
  /** False after a failure, until a unit succeeds. */
  ready(): boolean;
  /** Increases each time the file is reopened, because it may have been replaced. */
  generation(): number;
  close(): Promise<void>;
}

const probeMs = 1_000;
const logEveryMs = 60_000;

const reasonOf = (error: unknown): string => {
  if (!isRelayError(error, 'internal')) return error instanceof Error ? error.message : String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
};

/** A write without effect: its entry is in no space and has expired. */
const probeUnit: readonly SqlWrite[] = [{ sql: statements.set, params: [[-1, 'probe', 0, '', 0]] }];

/** Opens the file. After a failure it probes the file every second, so that `ready` recovers without calls, and reopens a lost file. */
export const createLink = async ({ open, clock, log, deadlineMs }: LinkOptions): Promise<Link> => {
  let file = await open();
  let failing = false;
  /** When an outage was last logged: on a disk that is nearly full some writes succeed, so that one may begin each second. */
  let loggedAt = -Infinity;
  let damaged = false;
  let closed = false;
  let generation = 0;
  let probeTimer: Timer | undefined;
  let probing: Promise<void> = Promise.resolve();

  const worked = (): void => {
    if (failing) log.info('the key-value store works again');
    failing = false;
    probeTimer?.cancel();
  };

  const failed = (error: unknown): RelayError => {
    damaged ||= isRelayError(error, 'store_damaged');
    if (!failing && !closed) {
      failing = true;
      if (clock.monotonic() - loggedAt >= logEveryMs) {
        loggedAt = clock.monotonic();
        log.warn({ err: error }, 'the key-value store does not answer; events are sent without deduplication');
      }
      scheduleProbe();
    }
    return new RelayError('kv_unavailable', { details: { reason: reasonOf(error) }, cause: error });
  };

  const carry: Link['carry'] = async (unit) => {
    try {
      const rows = await file.write(unit, { deadlineMs });
      worked();
      return rows;
    } catch (error) {
      throw failed(error);
    }
  };

  const reopenWhenLost = async (): Promise<void> => {
    if (file.alive() && !damaged) return;
    await file.close();
    file = await open();
    generation += 1;
    damaged = false;
  };

  const probe = async (): Promise<void> => {
    try {
      await reopenWhenLost();
      await carry(probeUnit);
    } catch (error) {
      log.debug({ err: error }, 'the key-value store is still unavailable');
    }
    if (failing && !closed) scheduleProbe();
  };

  const scheduleProbe = (): void => {
    probeTimer = clock.after(probeMs, () => {
      probing = probe();
    });
  };

  return {
    carry,
    ready: () => !closed && !failing && file.alive(),
    generation: () => generation,
    async close() {
      closed = true;
      probeTimer?.cancel();
      await probing;
      await file.close();
    },
  };
};
