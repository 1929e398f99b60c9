import test from 'ava';
import { startOperators } from './test/operators.ts';
import type { ApiServer, EventFault, RequestFault } from './testing/api-server.ts';

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
  { method: 'PATCH', path: '/leases/site' },
] as const;

/** Each kind of write meets the fault once. */
const onWrites =
  (fault: RequestFault) =>
  (server: Server): void => {
    server.clearFaults();
    for (const scope of writes) server.onRequest(fault, scope);
  };

const answers = [409, 429, 500, 503, 504].map((status): Strike => {
  const retryAfter = status === 429 ? { retryAfter: 1 } : {};
  return { what: `answers ${status}`, strike: onWrites({ kind: 'status', status, ...retryAfter }) };
});

const broken = (['reset', 'lost'] as const).map((kind): Strike => ({
  what: `breaks an answer off (${kind})`,
  strike: onWrites({ kind }),
}));

const streams = (['cut', 'gone', 'error', 'end', 'garbage'] as const).map((fault: EventFault): Strike => ({
  what: `breaks a watch (${fault})`,
  strike: (server) => server.onEvent(fault),
}));

const forget = (server: Server): void => {
  server.store.compact();
  server.onEvent('end', 3);
};

const strikes: readonly Strike[] = [
  ...answers,
  ...broken,
  ...streams,
  // Each costs the minute after which all is listed again.
  { what: 'keeps a watch silent', strike: (server) => server.onEvent('swallow'), times: 2 },
  { what: 'is slow', strike: onWrites({ kind: 'hold' }), repair: (server) => server.release() },
  { what: 'forgets what changed (410)', strike: forget },
  { what: 'is restarted', strike: (server) => server.goDown(), repair: (server) => server.comeUp() },
];

const strikeEvery = 12;
const repairAfter = 6;

for (const { what, strike, repair, times = 12 } of strikes)
  test.serial(`an API server that ${what}: the plan is applied once and the object gets ready`, async (t) => {
    t.timeout(120_000);
    const { cluster, start, until, stop, runJobs, ready, make } = await startOperators(t);
    const { server } = cluster;
    const operator = await start();
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
    server.clearFaults();
    await repair?.(server);
    t.is(cluster.site.writes.length, 1);
    const made = cluster
      .objects('batch/v1/jobs')
      .map(({ metadata }) => metadata.labels?.['ranger-relay.dev/command'])
      .toSorted();
    t.deepEqual(made, ['apply', 'plan', 'verify']);
    await stop(operator);
  });
