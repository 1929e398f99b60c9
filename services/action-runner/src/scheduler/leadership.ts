import { leaseMs, takeLease, type Lease } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { Context } from '@ranger-relay/runtime';
import { guardMark, schedulerKey, schedulerKeyBefore } from './keys.ts';

/** One process of several is the leader, as long as its lease holds. */
export interface Leadership {
  held(): boolean;
  /** Stands for it no more, and gives the lease back. */
  stop(): Promise<void>;
}

/** What standing for it takes. */
export interface LeadershipOptions {
  readonly state: KvSpace;
  /** Integration type whose schedules these are. */
  readonly slug: string;
  /** Tells this process from every other. */
  readonly owner: string;
  readonly context: Pick<Context, 'clock' | 'log' | 'metrics'>;
  readonly onTaken: () => void;
}

/** How often a process that is not the leader tries to be, ms. */
const tryMs = 5_000;

const lost = (): RelayError => new RelayError('kv_unavailable', { details: { reason: 'the leader lease was lost' } });

/**
 * Keeps processes of the release before, which lead by one key for all types, from leading; false while one of them does. Every process that
 * stands for the lease renews it, so that at no moment of a rolling upgrade a type has two leaders.
 */
const keepsOthersOut = async (state: KvSpace): Promise<boolean> => {
  const key = schedulerKeyBefore.leader;
  const [made, renewed] = await Promise.all([
    state.setIfAbsent(key, guardMark, { ttlMs: leaseMs }),
    state.compareAndSet(key, guardMark, guardMark, { ttlMs: leaseMs }),
  ]);
  return made || renewed;
};

/** Stands for the lease until stopped: taken when it is free, tried again when it is held or lost. */
export const standForLeader = ({ state, slug, owner, context, onTaken }: LeadershipOptions): Leadership => {
  const { clock, log, metrics } = context;
  let lease: Lease | undefined;
  let over = false;
  let trying: Promise<void> | undefined;

  const show = (): void => metrics.set('relay_scheduler_leader', lease?.held() ? 1 : 0);

  const taken = (next: Lease): void => {
    lease = next;
    show();
    log.info({ owner }, 'this process is the leader of the schedules');
    next.signal.addEventListener('abort', () => {
      show();
      log.warn({ owner }, 'this process is not the leader of the schedules any more');
    });
    onTaken();
  };

  const stepDown = async (): Promise<void> => {
    if (!lease?.held()) return;
    await lease.release();
    show();
    log.warn({ owner }, 'a process of the release before is the leader of the schedules');
  };

  const attempt = async (): Promise<void> => {
    try {
      const alone = await keepsOthersOut(state);
      if (!alone) await stepDown();
      if (!alone || lease?.held()) return;
      const taking = await takeLease({ space: state, clock, key: schedulerKey.leader(slug), token: owner, lost });
      if (taking.kind === 'held') return;
      if (over) await taking.lease.release();
      else taken(taking.lease);
    } catch (error) {
      log.debug({ err: error }, 'the leader lease cannot be asked for now');
    }
  };

  const look = (): void => {
    timer = clock.after(tryMs, look);
    show();
    if (trying) return;
    trying = attempt().finally(() => (trying = undefined));
  };
  let timer = clock.after(0, look);

  return {
    held: () => lease?.held() ?? false,
    async stop() {
      over = true;
      timer.cancel();
      await trying;
      await lease?.release();
      show();
    },
  };
};
