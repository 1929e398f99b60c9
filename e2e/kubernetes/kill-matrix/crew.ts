import { leases, type KubeApi } from '@ranger-relay/operator-kit';
import { systemClock, type Clock } from '@ranger-relay/runtime';
import { leaderLease, startReplica, type Post, type Replica } from './replica.ts';

/** The replicas of one operator, one after the other; none knows what those before it knew. */
export interface Crew {
  /** Another replica takes over from one that ends in order; its clock is so far ahead of the one before, ms. */
  handOver(aheadMs: number): Promise<void>;
  /** Ends in order; rejects when a replica could not begin. */
  stop(): Promise<void>;
}

/** What a crew works with. */
export interface CrewOptions extends Post {
  /** A person's own way to the API server. */
  readonly api: KubeApi;
}

/** Starts the first replica. When one dies the next one begins. */
export const startCrew = async (options: CrewOptions): Promise<Crew> => {
  const { api, namespace } = options;
  const lease = { namespace, name: leaderLease };
  const ends: Promise<void>[] = [];
  let n = 0;
  let ahead = 0;
  let present: Replica | undefined;
  let over = false;
  let changes = Promise.resolve();
  const clock: Clock = { ...systemClock, now: () => systemClock.now() + ahead };

  const next = async (): Promise<void> => {
    n += 1;
    const mine = n;
    present = await startReplica(options, { n, clock, onDeath: () => replace(mine) });
  };
  /** The dead cannot come back: nobody waits until the Lease of a dead leader runs out. */
  const free = (): Promise<unknown> => api.merge(leases, lease, { spec: { holderIdentity: null } });
  const bury = async (dead: number): Promise<void> => {
    if (over || dead !== n) return;
    if (present) ends.push(present.end());
    await free();
    await next();
  };
  /** One change after the other. */
  const then = (change: () => Promise<void>): Promise<void> => {
    const before = changes;
    changes = (async () => {
      await before;
      await change();
    })();
    changes.catch(() => undefined);
    return changes;
  };
  const replace = (dead: number): void => void then(() => bury(dead));

  await api.create(leases, { metadata: lease, spec: {} });
  await then(next);
  return {
    handOver: (aheadMs) =>
      then(async () => {
        await present?.end();
        ahead += aheadMs;
        await free();
        await next();
      }),
    async stop() {
      await changes;
      over = true;
      await present?.end();
      await Promise.all(ends);
    },
  };
};
