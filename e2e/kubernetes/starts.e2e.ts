import test from 'ava';
import { assertWhole } from '../src/harness/outage.ts';
import { run } from '../src/harness/product.ts';
import { until } from '../src/harness/until.ts';
import { openNode } from './harness/node.ts';
import { servicesTo } from './harness/outside.ts';
import { isReady, podsOf } from './harness/pods.ts';
import { components, everyPod, prepareRelease, release, secretOf, testOf, type Release } from './harness/release.ts';
import { restartAll } from './harness/rollouts.ts';
import { vendorFor } from './harness/vendor.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
let here: Release;

test.before(async (t) => {
  here = await prepareRelease(await openNode(t), 'starts', [park]);
  await here.kubectl.must('delete', 'secret', release);
  await here.kubectl.must('delete', 'service', 'kafka');
  await here.install({ kafka: { topics: { mode: 'none' } }, tests: { probe: { deadlineSeconds: 15 } } }, false);
});
test.after.always(() => here?.remove());

const everyLog = async (component: string): Promise<string> =>
  (await here.kubectl.run('logs', '--selector', `app.kubernetes.io/component=${component}`, '--tail', '200')).stdout;

type Component = (typeof components)[number];

/** A topic without which each service cannot do what it promises. */
const requiredTopic: Readonly<Record<Component, RegExp>> = {
  'webhook-ingester': /source-events/,
  'observation-forwarder': /source-events/,
  'message-pusher': /outbound-messages/,
  'action-runner': /source-events/,
};

/** Each service says what it misses, and none is ready. */
const untilTold = async (missing: (component: Component) => RegExp): Promise<void> => {
  for (const component of components) {
    const says = missing(component);
    await until(`${component} says ${says.source}`, async () => says.test(await everyLog(component)), 90_000, 500);
    if ((await podsOf(here.kubectl, component)).some(isReady)) throw new Error(`${component} is ready`);
  }
};

const untilReady = async (): Promise<void> => {
  for (const component of components) {
    const ready = async (): Promise<boolean> => {
      const pods = await podsOf(here.kubectl, component);
      return pods.length > 0 && pods.every(isReady);
    };
    await until(`${component} is ready`, ready, 120_000, 500);
  }
};

const events = async (): Promise<string> => (await here.kubectl.run('get', 'events')).stdout;

test.serial('without its Secret no pod starts, and an event names what is missing', async (t) => {
  await until('an event names the Secret', async () => /secret "ranger-relay" not found/.test(await events()), 60_000);
  for (const component of components)
    t.false((await podsOf(here.kubectl, component)).some(({ status }) => status?.phase === 'Running'));
});

test.serial('with it the pods start by themselves; brokers that cannot be reached are named', async (t) => {
  await here.kubectl.apply(secretOf(here.outside, [park]));
  await untilTold(() => /"problem":"[^"]*\(broker kafka:9092\)/);
  t.pass();
});

test.serial('with the brokers there, topics that are missing are named', async (t) => {
  await here.kubectl.apply(...servicesTo(here.outside));
  await untilTold((component) => requiredTopic[component]);
  t.pass();
});

test.serial('with the topics there every pod is ready, without a hand and without a restart', async (t) => {
  const env = { KAFKA_BROKERS: here.outside.kafka.addresses };
  t.is((await run(['topics', 'create'], env)).code, 0);
  await untilReady();
  const pods = await everyPod(here.kubectl);
  for (const { metadata, status } of pods) t.is(status?.containerStatuses?.[0]?.restartCount, 0, metadata.name);
});

test.serial('helm test sends an event through the whole chain', async (t) => {
  const { code, stdout } = await testOf(here.helm);
  t.is(code, 0, stdout);
  t.regex(stdout, /platform +accepted the test event/);
});

test.serial('helm test fails when the platform takes nothing, and says so', async (t) => {
  t.timeout(240_000);
  const away = await here.platform.fault({ fault: 'status', status: 503, endpoint: 'sensors' });
  const { code, stdout } = await testOf(here.helm);
  await here.platform.repair(away);
  t.not(code, 0);
  t.regex(stdout, /ranger-relay-test-probe[^]*Phase: +Failed/);
  t.regex(stdout, /failed +platform/);
});

test.serial(
  'a wrong Secret is told by helm test and by the log; what came meanwhile arrives once it is right',
  async (t) => {
    t.timeout(300_000);
    const right = secretOf(here.outside, [park]) as { stringData: Record<string, string> };
    const wrong = { ...right, stringData: { ...right.stringData, PLATFORM_CLIENT_SECRET: 'CANARY-wrong-secret' } };
    await here.kubectl.apply(wrong);
    await restartAll(here, components);
    const vendor = vendorFor(t, here, { integrations: [park], devices: 4, pauseMs: 100 });
    await until('events are acknowledged', () => vendor.acknowledged() > 50);
    const tested = await testOf(here.helm);
    t.not(tested.code, 0);
    t.regex(tested.stdout, /failed +platform token/);
    await until('the log says it', async () => /token/.test(await everyLog('observation-forwarder')), 60_000, 500);
    await here.kubectl.apply(right);
    await restartAll(here, components);
    const found = await vendor.finish(vendor.acknowledged() + 50);
    assertWhole(t, found.report);
    for (const component of components) t.false((await everyLog(component)).includes('CANARY'));
  },
);
