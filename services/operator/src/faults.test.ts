import type { ApiServer, EventFault, RequestFault } from '@ranger-relay/operator-kit/testing';
import test from 'ava';
import { leads, startReplicas } from './test/replicas.ts';

type Server = ApiServer;

/** Something that happens to the API server again and again. */
interface Strike {
  readonly what: string;
  readonly strike: (server: Server) => unknown;
  /** What it needs to go on. */
  readonly repair?: (server: Server) => unknown;
  /** How often it happens; 12 times when left out. */
  readonly times?: number;
}

const writes = [
  { method: 'POST', path: '/jobs' },
  { method: 'PATCH', path: '/jobs' },
  { method: 'PATCH', path: '/status' },
  { method: 'POST', path: '/leases' },
  { method: 'PUT', path: '/leases/site' },
] as const;

/** Each kind of write meets the fault once. */
const onWrites =
  (fault: RequestFault) =>
  ({ faults }: Server): void => {
    faults.clear();
    for (const scope of writes) faults.onRequest(fault, scope);
  };

const answers = [409, 429, 500, 503, 504].map((status): Strike => {
  const retryAfter = status === 429 ? { retryAfter: 1 } : {};
  return { what: `answers ${status}`, strike: onWrites({ kind: 'status', status, ...retryAfter }) };
});

const broken = (['reset', 'lost', 'half'] as const).map((kind): Strike => ({
  what: `breaks an answer off (${kind})`,
  strike: onWrites({ kind }),
}));

const streams = (['cut', 'gone', 'error', 'end', 'repeat', 'garbage'] as const).map((fault: EventFault): Strike => ({
  what: `breaks a watch (${fault})`,
  strike: ({ faults }) => faults.onEvent(fault),
}));

const forget = ({ compact, faults }: Server): void => {
  compact();
  faults.onEvent('end', 3);
};

const strikes: readonly Strike[] = [
  ...answers,
  ...broken,
  ...streams,
  // Each costs the minutes after which a silent connection counts as dead.
  { what: 'keeps a watch silent', strike: ({ faults }) => faults.onEvent('swallow'), times: 2 },
  { what: 'is slow', strike: onWrites({ kind: 'hold' }), repair: (server) => server.release() },
  { what: 'forgets what changed (410)', strike: forget },
  { what: 'is restarted', strike: (server) => server.goDown(), repair: (server) => server.comeUp() },
];

const strikeEvery = 12;
const repairAfter = 6;

for (const { what, strike, repair, times = 12 } of strikes)
  test.serial(`an API server that ${what}: the plan is applied once and the object gets ready`, async (t) => {
    t.timeout(120_000);
    const { cluster, replica, until, stop, runJobs, ready, make } = await startReplicas(t);
    const { server } = cluster;
    const replicas = await replica('one', 1);
    make();
    let rounds = 0;
    await until(
      'the end of all',
      () => ready() === 'True Applied',
      () => {
        runJobs();
        const phase = rounds % strikeEvery;
        if (phase === 0 && rounds < times * strikeEvery) void strike(server);
        if (phase === repairAfter) void repair?.(server);
        rounds += 1;
      },
    );
    server.faults.clear();
    await repair?.(server);
    t.is(cluster.site.writes.length, 1);
    const made = cluster
      .objects('batch/v1/jobs')
      .map(({ metadata }) => metadata.labels?.['ranger-relay.dev/command'])
      .toSorted();
    t.deepEqual(made, ['apply', 'plan', 'verify']);
    await stop(replicas);
  });

test.serial(
  'a leader that is cut off is followed by the other one, and takes nothing back when it is there again',
  async (t) => {
    t.timeout(120_000);
    const { cluster, replica, until, stop, runJobs, ready, make } = await startReplicas(t);
    const replicas = [await replica('one', 1), await replica('two', 2)] as const;
    make();
    await until('a Job that plans', () => cluster.running().length > 0);
    const [first, second] = (await leads(replicas[0])) ? replicas : [replicas[1], replicas[0]];
    first.cut(true);
    await until('the end of all', () => ready() === 'True Applied', runJobs);
    t.true(await leads(second));
    t.false(await leads(first));
    first.cut(false);
    let rounds = 0;
    await until('a while', () => (rounds += 1) > 200, runJobs);
    t.is(ready(), 'True Applied');
    t.is(cluster.site.writes.length, 1);
    for (const each of replicas) await stop(each);
  },
);
