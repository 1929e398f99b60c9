import type { KubeConfig, RequestContext, ResponseContext } from '@kubernetes/client-node';
import { compose, parseOperatorConfig } from '@ranger-relay/operator';
import { connect } from '@ranger-relay/operator/testing';
import { type Clock, systemClock } from '@ranger-relay/runtime';
import { seededRandom, testContext } from '@ranger-relay/runtime/testing';
import type { Killer } from './killer.ts';

/** Where the processes of an operator work, and what they die of. */
interface Post {
  readonly config: KubeConfig;
  /** Of the objects and of the Leases. */
  readonly namespace: string;
  readonly reaper: Killer;
}

/** One process of the operator, as far as others can tell. */
interface Replica {
  /** Ends it in order; one that is dead cannot say good-bye. */
  end(): Promise<void>;
}

const cutOff = (): Error => new Error('this process is dead');

/** A way to the API server that ends for good when its process dies. */
const mortal = (reaper: Killer, onDeath: () => void) => {
  let dead = false;
  const die = (): Error => {
    if (!dead) onDeath();
    dead = true;
    return cutOff();
  };
  return async (request: RequestContext, send: () => Promise<ResponseContext>): Promise<ResponseContext> => {
    if (dead) throw cutOff();
    const body: unknown = JSON.parse((request.getBody() as string | undefined) ?? 'null');
    const path = new URL(request.getUrl()).pathname;
    const answer = await reaper.pass({ method: request.getHttpMethod(), path, body }, send, die);
    if (dead) throw cutOff();
    return answer;
  };
};

/** Begins the `n`th process; nothing is left of it but what the API server was told. */
const startReplica = async (
  { config, namespace, reaper }: Post,
  { n, clock, onDeath }: { readonly n: number; readonly clock: Clock; readonly onDeath: () => void },
): Promise<Replica> => {
  const context = testContext({ clock, random: seededRandom(n) });
  const client = await connect(config, context, mortal(reaper, onDeath));
  const settings = parseOperatorConfig({
    JOB_IMAGE: 'ranger-relay/sync-tool:0.1.0',
    JOB_IMAGE_PULL_POLICY: 'Never',
    WATCH_NAMESPACE: namespace,
    HOST: '127.0.0.1',
    PORT: '0',
  });
  await compose(context, { client, namespace }, settings);
  return { end: () => context.lifecycle.stop() };
};

/** The processes of one operator, one after the other; none knows what those before it knew. */
export interface Replicas {
  /** Another process takes over from one that ends in order; its clock is so far ahead of the one before, ms. */
  handOver(aheadMs: number): Promise<void>;
  /** Ends in order; rejects when a process could not begin. */
  stop(): Promise<void>;
}

/** Starts the first process. When one dies the next one begins. */
export const startCrew = async (post: Post): Promise<Replicas> => {
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
    present = await startReplica(post, { n, clock, onDeath: () => replace(mine) });
  };
  const discard = async (dead: number): Promise<void> => {
    if (over || dead !== n) return;
    if (present) ends.push(present.end());
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

  await then(next);
  return {
    handOver: (aheadMs) =>
      then(async () => {
        await present?.end();
        ahead += aheadMs;
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
