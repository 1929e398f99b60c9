import test, { type ExecutionContext } from 'ava';
import type { Replica } from './harness/cluster.ts';
import { loadFor } from './harness/load.ts';
import { metric } from './harness/metrics.ts';
import { assertHealth, assertWhole, maxSilenceMs } from './harness/outage.ts';
import type { IngestLogLine } from './harness/platform.ts';
import { heldUp, probesFor } from './harness/probes.ts';
import { devices, startPushers, type PusherHarness } from './harness/pusher.ts';
import { envelope, event, post, type Target } from './harness/traffic.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const [device = ''] = devices;
const postMs = 1_000;
/** Of the store, 30 s; the other calls of a push that find it away take 2 s each. */
const pushMs = 45_000;
let harness: PusherHarness;
let here: Target;
let ingester: Replica;
let forwarder: Replica;
let resends: Replica;
let holds: Replica;
let everyone: readonly Replica[];
let posts = 0;

test.before(async () => {
  harness = await startPushers({ integrations: [park], replicas: 1, env: { PUSH_AMBIGUOUS: 'resend' } });
  const { cluster, replicas } = harness;
  resends = replicas[0] as Replica;
  holds = await cluster.add('message-pusher');
  ingester = await cluster.add('webhook-ingester');
  forwarder = await cluster.add('observation-forwarder');
  await Promise.all([ingester.start(), forwarder.start(), holds.start({ PUSH_AMBIGUOUS: 'hold' })]);
  everyone = [ingester, forwarder, resends, holds];
  here = { ...cluster, webhookUrl: `${ingester.url}/webhooks` };
  await cluster.platform.fault({ fault: 'slow', ms: 20, endpoint: 'sensors' });
});
test.after.always(() => harness?.remove());

const loadHere = (t: ExecutionContext, repeatShare = 0) =>
  loadFor(t, harness.cluster, park, { urls: [here.webhookUrl], repeatShare });

const undeduplicated = (): Promise<number> => metric(forwarder.url, 'relay_events_undeduplicated_total');
const dropped = (): Promise<number> => metric(forwarder.url, 'relay_events_duplicate_total');

/** An event of a new device, identified by that device. */
const fresh = (): { readonly body: string; readonly arrived: () => Promise<IngestLogLine[]> } => {
  posts += 1;
  const imei = `30043403${String(posts).padStart(7, '0')}`;
  return {
    body: envelope(event(posts, { imei, messageCode: 3, freeText: `text ${posts}` })),
    arrived: async () => (await here.platform.ingestLog()).filter(({ item }) => item.source === imei),
  };
};

/** Sends a fresh event and waits for it; true when the store was asked about it. */
const isDeduplicating = async (): Promise<boolean> => {
  const { body, arrived } = fresh();
  const before = await undeduplicated();
  await post(here, park, body);
  await until('an event arrives', async () => (await arrived()).length === 2);
  return (await undeduplicated()) === before;
};

/** The store is used again; what is sent twice from then on arrives once, also at a worker that remembers nothing. */
const assertDeduplicated = async (t: ExecutionContext): Promise<void> => {
  await until('deduplication is back', isDeduplicating, 5_000);
  const { body, arrived } = fresh();
  t.is((await post(here, park, body)).status, 200);
  await until('the first one arrives', async () => (await arrived()).length === 2);
  await forwarder.stop();
  await forwarder.start();
  t.is((await post(here, park, body)).status, 200);
  await until('the second one is dropped', async () => (await dropped()) > 0);
  const came = (await arrived()).map(({ kind, outcome }) => `${kind} ${outcome}`);
  t.deepEqual(came, ['observation stored', 'message stored']);
};

const timed = async <T>(work: Promise<T>): Promise<{ result: T; ms: number }> => {
  const from = performance.now();
  return { result: await work, ms: performance.now() - from };
};

test.serial(
  'a store that hangs holds no event up; of texts, resend sends them and hold answers 500, both within the budget; with it back nothing is sent twice',
  async (t) => {
    t.timeout(180_000);
    const { redis } = harness.cluster;
    const [sent, held] = [harness.textFor(park, device), harness.textFor(park, device)];
    for (const replica of [resends, holds]) t.true((await harness.push(harness.textFor(park, device), replica)).acked);
    const load = loadHere(t, 0.1);
    const probes = probesFor(t, everyone);
    await load.flowing();
    const counted = await undeduplicated();
    const from = performance.now();
    redis.pause();
    await load.flowingAnew(5_000);
    const [resent, refused] = await Promise.all([timed(harness.once(sent, resends)), timed(harness.once(held, holds))]);
    await until('what goes without deduplication is counted', async () => (await undeduplicated()) > counted, 5_000);
    t.is((await harness.once(sent, resends)).status, 200, 'the process that sent it knows');
    const to = performance.now();
    redis.resume();
    await load.flowingAnew(5_000);
    const report = await load.finish();

    t.deepEqual([resent.result.status, refused.result.status], [200, 500]);
    t.deepEqual([harness.timesTaken(sent), harness.timesTaken(held)], [1, 0]);
    t.log(`resend ${Math.round(resent.ms)} ms, hold ${Math.round(refused.ms)} ms`);
    t.true(Math.max(resent.ms, refused.ms) < pushMs);
    t.true((await harness.push(held, holds)).acked);
    t.is(harness.timesTaken(held), 1);

    assertHealth(t, probes, from, to);
    t.deepEqual(probes.refusals('/readyz'), []);
    t.log(`no 200 for ${Math.round(maxSilenceMs(load, from, to))} ms`);
    // In a second, beside what held up the machine.
    const isLate = ({ status, at, ms }: (typeof load.answers)[number]): boolean =>
      status !== 200 || ms - heldUp(probes, at, at + ms) > postMs;
    t.deepEqual(load.answers.filter(isLate), []);
    assertWhole(t, report);
    await assertDeduplicated(t);
  },
);

test.serial(
  'services that are started while the store is away become ready and work; with it back, empty, nothing is sent twice',
  async (t) => {
    const { redis } = harness.cluster;
    const pair = [ingester, forwarder];
    await redis.kill();
    t.teardown(() => redis.restartEmpty());
    await Promise.all(pair.map((replica) => replica.stop()));
    const from = performance.now();
    await Promise.all(pair.map((replica) => replica.start()));
    t.log(`ready after ${Math.round(performance.now() - from)} ms`);
    const load = loadHere(t);
    await load.flowing();
    await redis.start();
    await load.flowingAnew();
    const report = await load.finish();
    const refused = load.answers.filter(({ status }) => status !== 200);
    t.deepEqual(refused, []);
    assertWhole(t, report);
    t.true((await undeduplicated()) > 0);
    await assertDeduplicated(t);
  },
);
