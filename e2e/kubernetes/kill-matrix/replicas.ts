import { RelayError } from '@ranger-relay/errors';
import { compose, parseOperatorConfig } from '@ranger-relay/operator';
import {
  type Access,
  createHttpTransport,
  createKubeApi,
  type KubeApi,
  type KubeTransport,
  leases,
} from '@ranger-relay/operator-kit';
import { type Clock, systemClock } from '@ranger-relay/runtime';
import { seededRandom, testContext } from '@ranger-relay/runtime/testing';
import type { Killer } from './killer.ts';

/** Where the replicas of an operator work, and what they die of. */
interface Post {
  readonly access: Access;
  /** Of the objects and of the Leases. */
  readonly namespace: string;
  readonly reaper: Killer;
}

/** One process of the operator, as far as others can tell. */
interface Replica {
  /** Ends it in order; one that is dead cannot say good-bye. */
  end(): Promise<void>;
}

/** The Lease of whoever leads. */
const leaderLease = 'operator';
const cutOff = (): RelayError =>
  new RelayError('kube_unreachable', { details: { target: 'the API server', reason: 'this replica is dead' } });

/** A way to the API server that ends for good when its replica dies. */
const mortal = (transport: KubeTransport, reaper: Killer, onDeath: () => void): KubeTransport => {
  let dead = false;
  const alive = <T>(value?: T): T => {
    if (dead) throw cutOff();
    return value as T;
  };
  const die = (): Error => {
    dead = true;
    onDeath();
    return cutOff();
  };
  return {
    close: () => transport.close(),
    async call(request) {
      alive();
      return alive(
        await reaper.pass(
          request,
          () => transport.call(request),
          () => (dead ? cutOff() : die()),
        ),
      );
    },
    open: async (request) => (alive(), alive(await transport.open(request))),
  };
};

/** Begins the `n`th replica, with an identity of its own; nothing is left of it but what the API server was told. */
const startReplica = async (
  { access, namespace, reaper }: Post,
  { n, clock, onDeath }: { readonly n: number; readonly clock: Clock; readonly onDeath: () => void },
): Promise<Replica> => {
  const context = testContext({ clock, random: seededRandom(n) });
  const transport = createHttpTransport({ access, clock, userAgent: 'operator/e2e' });
  context.lifecycle.onStop('connections', () => transport.close());
  const api = createKubeApi({ transport: mortal(transport, reaper, onDeath), metrics: context.metrics });
  const config = parseOperatorConfig({
    JOB_IMAGE: 'ranger-relay/sync-tool:0.1.0',
    JOB_IMAGE_PULL_POLICY: 'Never',
    WATCH_NAMESPACE: namespace,
    LEADER_LEASE: leaderLease,
    HOST: '127.0.0.1',
    PORT: '0',
  });
  await compose(context, { api, namespace, identity: `replica-${n}` }, config);
  return { end: () => context.lifecycle.stop() };
};

/** The replicas of one operator, one after the other; none knows what those before it knew. */
export interface Replicas {
  /** Another replica takes over from one that ends in order; its clock is so far ahead of the one before, ms. */
  handOver(aheadMs: number): Promise<void>;
  /** Ends in order; rejects when a replica could not begin. */
  stop(): Promise<void>;
}

/** What a crew works with. */
interface CrewOptions extends Post {
  /** A person's own way to the API server. */
  readonly api: KubeApi;
}

/** Starts the first replica. When one dies the next one begins. */
export const startCrew = async (options: CrewOptions): Promise<Replicas> => {
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
  const discard = async (dead: number): Promise<void> => {
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
  const replace = (dead: number): void => void then(() => discard(dead));

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
