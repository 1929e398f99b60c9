import { memoryBus } from '@ranger-relay/bus/testing';
import { activityEventSchema, type ActivityEvent } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createActivity } from './activity.ts';

const setUp = (maxBytes?: number) => {
  const clock = manualClock();
  const bus = memoryBus(clock);
  const { log, lines } = recordingLogger();
  const context = testContext({ clock, log });
  const options = { bus, context, topic: 'integration-events', webhookId: 'device_connector_webhook' };
  const activity = createActivity({ ...options, ...(maxBytes === undefined ? {} : { maxBytes }) });
  const events = (): ActivityEvent[] =>
    bus.values('integration-events').map((value) => activityEventSchema.parse(value));
  const dropped = async (): Promise<number> =>
    Number(/^relay_activity_dropped_total (\d+)$/m.exec(await context.metrics.render())?.[1] ?? 0);
  return { clock, bus, activity, events, dropped, lines };
};

const down = (): never => {
  throw new RelayError('bus_unavailable', { details: { reason: 'test' } });
};

test('entries go out together, in order, keyed by integration', async (t) => {
  const { clock, bus, activity, events, dropped } = setUp();
  activity.webhook('Started', 'a', { config_data: {} });
  activity.action('CustomLog', 'b', 'auth', { title: 'x', level: 30 });
  activity.webhook('Complete', 'a', { config_data: {}, result: { total_observations: 1 } });
  t.is(bus.calls.length, 0);
  await clock.advance(50);
  t.is(bus.calls.length, 1);
  t.is(bus.published[0]?.topic, 'integration-events');
  t.deepEqual(
    bus.published[0]?.records.map(({ key }) => key),
    ['a', 'b', 'a'],
  );
  t.deepEqual(
    events().map(({ event_type }) => event_type),
    ['IntegrationWebhookStarted', 'IntegrationActionCustomLog', 'IntegrationWebhookComplete'],
  );
  t.is(new Set(events().map(({ event_id }) => event_id)).size, 3);
  t.is(await dropped(), 0);
});

test('many entries go out in bounded batches', async (t) => {
  const { clock, bus, activity, events } = setUp();
  for (let n = 0; n < 1_200; n += 1) activity.webhook('Started', 'a', { config_data: {} });
  for (let n = 0; n < 20; n += 1)
    activity.webhook('CustomLog', 'a', { title: 'long', level: 20, data: { x: 'y'.repeat(50_000) } });
  await clock.advance(50);
  t.is(events().length, 1_220);
  for (const { records } of bus.published) {
    t.true(records.length <= 500);
    t.true(records.reduce((sum, { value }) => sum + value.length, 0) <= 512_000);
  }
});

test('while the bus is away an entry is tried five times, then counted', async (t) => {
  const { clock, bus, activity, dropped } = setUp();
  bus.before = down;
  activity.webhook('Started', 'a', { config_data: {} });
  await clock.advance(300_000);
  t.is(bus.calls.length, 5);
  t.is(await dropped(), 1);
  await clock.advance(60_000);
  t.is(clock.pending(), 0);
});

test('the five tries are 4, 8, 16 and 32 s apart, each up to 5 s later', async (t) => {
  const { clock, bus, activity } = setUp();
  const tries: number[] = [];
  bus.before = () => {
    tries.push(clock.now());
    return down();
  };
  activity.webhook('Started', 'a', { config_data: {} });
  await clock.advance(300_000);
  const waits = tries.slice(1).map((at, n) => at - (tries[n] ?? 0));
  t.is(waits.length, 4);
  for (const [n, wait] of waits.entries()) {
    const least = 4_000 * 2 ** n;
    t.true(wait >= least && wait <= least + 5_000, `${wait} ms before try ${n + 2}`);
  }
});

test('when the bus is back everything that waited goes out in order', async (t) => {
  const { clock, bus, activity, events, dropped } = setUp();
  bus.before = down;
  activity.webhook('CustomLog', 'a', { title: '1', level: 20 });
  await clock.advance(1_000);
  activity.webhook('CustomLog', 'a', { title: '2', level: 20 });
  bus.before = () => undefined;
  await clock.advance(60_000);
  t.deepEqual(
    events().map(({ payload }) => payload.title),
    ['1', '2'],
  );
  t.is(await dropped(), 0);
});

test('a queue that is full by its bytes drops what comes, counts it, and never throws', async (t) => {
  const { clock, bus, activity, dropped } = setUp(100_000);
  bus.before = down;
  for (let n = 0; n < 25; n += 1)
    activity.webhook('CustomLog', 'a', { title: 'x', level: 20, data: { x: 'y'.repeat(10_000) } });
  t.is(await dropped(), 15);
  await clock.advance(300_000);
  t.is(await dropped(), 25);
  activity.webhook('Started', 'a', { config_data: {} });
  t.is(await dropped(), 25);
});

test('while entries are dropped, the log says so when it begins and once a minute, with their number', async (t) => {
  const { clock, bus, activity, dropped, lines } = setUp();
  bus.before = () => {
    throw new RelayError('record_too_large');
  };
  for (let n = 0; n < 120; n += 1) {
    for (let each = 0; each < 10; each += 1) activity.webhook('Started', 'a', { config_data: {} });
    await clock.advance(1_000);
  }
  await clock.advance(60_000);
  t.deepEqual(
    lines.map(({ count }) => count),
    [10, 590, 600],
  );
  t.is(await dropped(), 1_200);
});

test('an entry that cannot be written is dropped, whoever wrote it goes on', async (t) => {
  const { activity, dropped } = setUp();
  activity.webhook('CustomLog', 'a', { title: 'x', level: 20, data: { n: 1n } });
  activity.webhook('CustomLog', 'a', {
    title: 'x',
    level: 20,
    get data() {
      throw new Error('no');
    },
  });
  t.is(await dropped(), 2);
});

test('records that the topic can never take are not tried again', async (t) => {
  const { clock, bus, activity, dropped } = setUp();
  bus.before = () => {
    throw new RelayError('record_too_large');
  };
  activity.webhook('Started', 'a', { config_data: {} });
  await clock.advance(100);
  t.is(bus.calls.length, 1);
  t.is(await dropped(), 1);
});

test('flushing sends what waits at once', async (t) => {
  const { clock, activity, events } = setUp();
  activity.webhook('Started', 'a', { config_data: {} });
  await activity.flush(1_000);
  t.is(events().length, 1);
  t.is(clock.pending(), 0);
});

test('flushing with nothing to send ends at once', async (t) => {
  const { clock, activity, bus } = setUp();
  await activity.flush(1_000);
  t.is(bus.calls.length, 0);
  t.is(clock.pending(), 0);
});

test('flushing ends the wait between tries, and gives up with a bus that is away', async (t) => {
  const { clock, bus, activity, dropped } = setUp();
  bus.before = down;
  activity.webhook('Started', 'a', { config_data: {} });
  await clock.advance(100);
  activity.webhook('Started', 'b', { config_data: {} });
  await activity.flush(1_000);
  t.is(await dropped(), 2);
});

test('flushing ends in time with a bus that hangs', async (t) => {
  const { clock, bus, activity, dropped } = setUp();
  bus.before = () => new Promise(() => undefined);
  activity.webhook('Started', 'a', { config_data: {} });
  await clock.advance(100);
  activity.webhook('Started', 'b', { config_data: {} });
  let done = false;
  const flushed = activity.flush(1_000).then(() => (done = true));
  await clock.advance(999);
  t.false(done);
  await clock.advance(1);
  await flushed;
  t.is(await dropped(), 1);
});

test('entries after a flush go out as before', async (t) => {
  const { clock, activity, events } = setUp();
  activity.webhook('Started', 'a', { config_data: {} });
  await activity.flush(1_000);
  activity.webhook('Started', 'b', { config_data: {} });
  await clock.advance(50);
  t.is(events().length, 2);
});
