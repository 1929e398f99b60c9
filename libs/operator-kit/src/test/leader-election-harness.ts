import { manualClock, seededRandom, silentLogger, type ManualClock } from '@ranger-relay/runtime/testing';
import type { Clock } from '@ranger-relay/runtime';
import { createKubeApi } from '../api/create.ts';
import { createElector, type Elector } from '../lease/elector.ts';
import type { LeaseTimes } from '../lease/record.ts';
import type { Term } from '../reconcile/term.ts';
import type { Cluster } from '../testing/api-server/verbs.ts';
import { leaseLink, leaseServer, type NetworkCondition } from './lease-network.ts';
import { replicaClock, type ReplicaClock } from './replica-clock.ts';

/** One process that wants to lead. */
export interface Replica {
  readonly clock: ReplicaClock;
  elector: Elector;
  /** Nothing gets through until then. */
  cutUntil: number;
  /** The work is going on: it was begun, and was not told that the lease is lost. */
  works: boolean;
  /** Times at which it began to lead. */
  readonly led: number[];
  /** Stops for good without a word, and comes back as another process when `again` is set. */
  kill(again: boolean): void;
}

/** Some replicas, one server, and the network between. */
export interface LeaderElectionHarness {
  readonly clock: ManualClock;
  readonly server: Cluster;
  readonly replicas: readonly Replica[];
  /** Breaches: moments with two leaders. */
  readonly problems: string[];
  leaders(): number[];
  /** From now on the network loses and delays nothing new. */
  settle(): void;
  /** Lets time pass, looking at who leads all the while. */
  advance(ms: number): Promise<void>;
}

/** How the electorate is made. */
export interface LeaderElectionOptions {
  readonly rates: readonly number[];
  readonly networkConditions?: readonly NetworkCondition[];
  /** So many first writes are carried out without an answer. */
  readonly lostWrites?: number;
  readonly seed?: number;
  readonly times?: Partial<LeaseTimes>;
  /** How long the work of a leader takes to end when it is told to, ms. */
  readonly endMs?: number;
}

/** Between two looks at who leads; each begin of a reign is one, too. */
const stepMs = 1_000;
const quick: NetworkCondition = { outMs: 5, backMs: 5, loses: 'nothing' };
export const leasePath = '/apis/coordination.k8s.io/v1/namespaces/park/leases/kit';

/** Starts the replicas, all at once. */
export const startLeaderElection = (options: LeaderElectionOptions): LeaderElectionHarness => {
  const { rates, seed = 1, times = {}, endMs = 0 } = options;
  let { lostWrites = 0 } = options;
  const clock = manualClock();
  const random = seededRandom(seed);
  const server = leaseServer(clock);
  const conditions = [...(options.networkConditions ?? [])];
  const problems: string[] = [];
  const replicas: Replica[] = [];

  const leaders = (): number[] => replicas.flatMap(({ elector }, at) => (elector.leading() ? [at] : []));
  const check = (): void => {
    const working = replicas.flatMap(({ works, clock }, at) => (works && !clock.frozen() ? [at] : []));
    if (leaders().length > 1) problems.push(`${leaders().join(' and ')} lead at ${clock.monotonic()}`);
    if (working.length > 1) problems.push(`${working.join(' and ')} work at ${clock.monotonic()}`);
  };

  const join = (rate: number, at: number): Replica => {
    const own = replicaClock(clock, rate);
    let life = 0;

    const lead = (mine: number, { stopping, lost }: Term): Promise<void> =>
      new Promise((resolve) => {
        replica.works = true;
        replica.led.push(clock.monotonic());
        check();
        lost.addEventListener('abort', () => {
          if (mine === life) replica.works = false;
        });
        const end = (): void => {
          own.after(endMs, () => {
            if (mine === life) replica.works = false;
            resolve();
          });
        };
        for (const signal of [stopping, lost]) signal.addEventListener('abort', end, { once: true });
      });

    const begin = (): Elector => {
      const mine = life;
      const alive: Clock = { ...own, after: (ms, task) => own.after(ms, () => (mine === life ? task() : undefined)) };
      const transport = leaseLink({
        server,
        network: clock,
        replica: alive,
        networkCondition: (method) => {
          if (method !== 'GET' && lostWrites-- > 0) return { ...quick, loses: 'answer' };
          return conditions.shift() ?? quick;
        },
        isCut: () => clock.monotonic() < replica.cutUntil,
      });
      const elector = createElector({
        api: createKubeApi({ transport, metrics: { count: () => undefined } }),
        clock: alive,
        random,
        log: silentLogger(),
        metrics: { set: () => undefined },
        times,
        lease: { namespace: 'park', name: 'kit' },
        identity: `replica-${at}-${life}`,
        lead: (term) => lead(mine, term),
      });
      elector.start();
      return elector;
    };

    const replica: Replica = {
      clock: own,
      cutUntil: 0,
      works: false,
      led: [],
      elector: undefined as unknown as Elector,
      kill(again) {
        life += 1;
        replica.works = false;
        if (again) replica.elector = begin();
        else replica.elector = { ...replica.elector, leading: () => false };
      },
    };
    replica.elector = begin();
    return replica;
  };

  replicas.push(...rates.map(join));
  return {
    clock,
    server,
    replicas,
    problems,
    leaders,
    settle() {
      conditions.length = 0;
      for (const replica of replicas) replica.cutUntil = 0;
    },
    async advance(ms) {
      for (let left = ms; left > 0; left -= stepMs) {
        await clock.advance(Math.min(stepMs, left));
        check();
      }
    },
  };
};
