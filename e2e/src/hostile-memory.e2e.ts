import test from 'ava';
import { startLoader, type Loader } from './bench/load.ts';
import { peakOf } from './bench/proc.ts';
import { startCluster, type Cluster } from './harness/cluster.ts';
import { envelope, event, post } from './harness/traffic.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const hostile = ['bb', 'cc', 'dd'].map((name) => `${name.repeat(4)}-0000-4000-8000-000000000001`);
const MiB = 1_048_576;
const bodyBytes = 16 * MiB;
/** Settings of the ingester in the chart: memory of the container, and the heap derived from it. */
const containerBytes = 512 * MiB;
const heapMiB = 256;
/** The bound is 500 ms on an idle machine; beside other suites only a standstill is a failure. */
const standstillMs = 2_000;

const filled = (head: string, piece: string, tail: string): Buffer => {
  const times = Math.floor((bodyBytes - head.length - tail.length) / Buffer.byteLength(piece));
  return Buffer.from(`${head}${piece.repeat(times)}${tail}`);
};

const events = (more: Readonly<Record<string, unknown>>): string =>
  envelope(...Array.from({ length: 9_500 }, (_, n) => event(n, { freeText: 'x'.repeat(1_300), ...more })));

const bodies: readonly (readonly [name: string, body: string | Buffer])[] = [
  ['empty objects', filled('{"Events":[', '{},', '{}]}')],
  ['values inside one event', filled('{"Events":[{"a":[', '[[]],', '0]}]}')],
  ['deep nesting', filled('{"Events":', '[', ']}')],
  ['one long text of two-byte characters', filled('{"Events":[{"imei":"1","messageCode":3,"freeText":"', 'ж', '"}]}')],
  [
    'one long text of escapes',
    filled('{"Events":[{"imei":"1","messageCode":3,"freeText":"', String.raw`\u0416`, '"}]}'),
  ],
  ['9,500 good events', events({})],
  ['9,500 rejected events', events({ imei: null })],
];

let here: Cluster;
let loader: Loader;

test.before(async () => {
  here = await startCluster([park, ...hostile], {
    forwarders: 0,
    nodeArgs: [`--max-old-space-size=${heapMiB}`],
    env: { WEBHOOK_MAX_BYTES_PER_MINUTE: String(1_024 * 1_024 * MiB) },
  });
  loader = await startLoader();
});
test.after.always(async () => {
  await loader?.end();
  await here?.remove();
});

for (const [name, body] of bodies)
  test.serial(`ten bodies of 16 MiB at once, ${name}: every one is answered, and others meanwhile`, async (t) => {
    const { child } = here.ingesters[0]?.process() ?? t.fail();
    const headers = { 'x-outbound-auth-token': here.token };
    const target = { url: `${here.webhookUrl}?integration_id=${park}`, headers };
    const shape = { bodies: { kind: 'events', eventsPerPost: 1 }, rate: 40 } as const;
    await loader.once(target, { ...shape, seconds: 0.5 }, 8);
    const healthy = loader.once(target, { ...shape, seconds: 6 }, 8);
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, n) => {
        const answer = await post(here, hostile[n % hostile.length] ?? '', body);
        await answer.arrayBuffer();
        return answer.status;
      }),
    );
    const others = statuses.filter((status) => ![200, 413, 503].includes(status));
    t.deepEqual(others, [], statuses.join(' '));
    t.true(statuses.some((status) => status !== 503));
    const { latencies } = await healthy;
    const p99 = latencies[Math.floor(latencies.length * 0.99)] ?? Infinity;
    const peak = peakOf(child.pid ?? 0);
    t.log(
      `${statuses.join(' ')}; p99 ${p99.toFixed(0)} ms of ${latencies.length}; ${Math.round(peak / MiB)} MiB at most`,
    );
    t.true(p99 <= standstillMs, `${p99} ms`);
    t.true(peak <= containerBytes, `${Math.round(peak / MiB)} MiB`);
    t.is(child.exitCode, null);
  });
