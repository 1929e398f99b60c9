import { RelayError } from '@ranger-relay/errors';
import { compose, parseOperatorConfig } from '@ranger-relay/operator';
import { createHttpTransport, createKubeApi, type Access, type KubeTransport } from '@ranger-relay/operator-kit';
import type { Clock } from '@ranger-relay/runtime';
import { seededRandom, testContext } from '@ranger-relay/runtime/testing';
import type { Reaper } from './reaper.ts';

/** Where the replicas of an operator work, and what they die of. */
export interface Post {
  readonly access: Access;
  /** Of the objects and of the Leases. */
  readonly namespace: string;
  readonly reaper: Reaper;
}

/** One process of the operator, as far as others can tell. */
export interface Replica {
  /** Ends it in order; one that is dead cannot say good-bye. */
  end(): Promise<void>;
}

/** The Lease of whoever leads. */
export const leaderLease = 'operator';
const cutOff = (): RelayError =>
  new RelayError('kube_unreachable', { details: { target: 'the API server', reason: 'this replica is dead' } });

/** A way to the API server that ends for good when its replica dies. */
const mortal = (transport: KubeTransport, reaper: Reaper, onDeath: () => void): KubeTransport => {
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
export const startReplica = async (
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
