import { topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { forwarderGroup } from '@ranger-relay/observation-forwarder';
import { manualClock } from '@ranger-relay/runtime/testing';
import { markLetter } from '@ranger-relay/service';
import test from 'ava';
import { refusedEvent } from '../dlq/test/harness.ts';
import { cached, collectStatus, textCounts } from './collect.ts';
import type { LastRun } from './model.ts';
import { blank, noTexts, stores } from './test/harness.ts';

const cachedHarness = (takesMs = 0) => {
  const clock = manualClock();
  let made = 0;
  const state = { fail: false };
  const ask = cached(async () => {
    made += 1;
    const mine = made;
    if (takesMs > 0) await clock.sleep(takesMs);
    if (state.fail) throw new Error('away');
    return mine;
  }, clock);
  return { clock, ask, state, made: () => made };
};

test('a second of callers shares one result', async (t) => {
  const { clock, ask } = cachedHarness();
  t.is(await ask(), 1);
  await clock.advance(999);
  t.is(await ask(), 1);
  await clock.advance(1);
  t.is(await ask(), 2);
});

test('callers at once share one making', async (t) => {
  const { ask, made } = cachedHarness();
  t.deepEqual(await Promise.all([ask(), ask(), ask()]), [1, 1, 1]);
  t.is(made(), 1);
});

test('what takes long to make is kept ten times as long, so that it never fills the machine', async (t) => {
  const { clock, ask } = cachedHarness(500);
  const asked = ask();
  await clock.advance(500);
  t.is(await asked, 1);
  await clock.advance(4_900);
  t.is(await ask(), 1);
  await clock.advance(200);
  const again = ask();
  await clock.advance(500);
  t.is(await again, 2);
});

test('a failure is told to those who asked and is not kept', async (t) => {
  const { ask, state } = cachedHarness();
  state.fail = true;
  await t.throwsAsync(ask(), { message: 'away' });
  state.fail = false;
  t.is(await ask(), 2);
});

const now = Date.UTC(2026, 0, 1);
const at = (secondsAgo: number): string => new Date(now - secondsAgo * 1_000).toISOString();

test('texts are counted by what became of them, with the age of the oldest that is not decided', async (t) => {
  const { kv } = stores();
  const put = (name: string, entry: object) => kv.state.set(`push.${name}`, JSON.stringify(entry));
  await put('a.1', { state: 'accepted', updated_at: at(9_000) });
  await put('a.2', { state: 'accepted', updated_at: at(9_000) });
  await put('b.1', { state: 'failed', updated_at: at(9_000) });
  await put('c.1', { state: 'pending', updated_at: at(1), first_seen_at: at(60) });
  await put('d.1', { state: 'sending', updated_at: at(2) });
  await put('e.1', { state: 'unknown', updated_at: at(5), first_seen_at: at(300) });
  await kv.state.set('push.f.1', 'no json');
  t.deepEqual(await textCounts(kv.state, now), {
    accepted: 2,
    failed: 1,
    pending: 2,
    unknown: 1,
    oldest_undecided_seconds: 300,
  });
});

test('without texts nothing is old, nor when a clock has jumped back', async (t) => {
  const { kv } = stores();
  const none = { accepted: 0, failed: 0, pending: 0, unknown: 0, oldest_undecided_seconds: 0 };
  t.deepEqual(await textCounts(kv.state, now), none);
  await kv.state.set('push.a.1', JSON.stringify({ state: 'pending', updated_at: at(-60) }));
  t.deepEqual(await textCounts(kv.state, now), { ...none, pending: 1 });
});

const harness = () => {
  const all = stores();
  const services = [{ name: 'webhook-ingester', ready: true, failing: [] }];
  const collect = collectStatus({ ...all, services: () => services });
  const later = async (ms = 1_000) => {
    await all.clock.advance(ms);
    return collect();
  };
  return { ...all, services, collect, later };
};

test('with nothing stored there are services and no integrations', async (t) => {
  const { collect } = harness();
  const { status, totals } = await collect();
  t.deepEqual(status, {
    verdict: { level: 'ok', text: 'Everything works, nothing waits', problems: [] },
    sos: [],
    services: [{ name: 'webhook-ingester', ready: true, failing: [] }],
    integrations: [],
    texts: noTexts,
    runs: [],
    unassigned_dead_letters: 0,
  });
  t.true(Object.values(totals).every((n) => n === 0));
});

test('the JSON holds exactly the agreed members', async (t) => {
  const { collect, event } = harness();
  await event('a:1');
  const { status } = await collect();
  const members = ['verdict', 'services', 'integrations', 'texts', 'runs', 'sos', 'unassigned_dead_letters'];
  t.deepEqual(Object.keys(status), members);
  t.deepEqual(Object.keys(status.integrations[0] ?? {}), Object.keys(blank('a')));
});

test('what waits is counted by integration, with the age of the oldest', async (t) => {
  const { event, park, later, clock } = harness();
  await event('a:1', 'a:2');
  await clock.advance(2_000);
  await event('a:1', 'b:1');
  await park('b', 'b', 'b');
  const { status, totals } = await later(3_000);
  t.deepEqual(status.integrations, [
    blank('a', { oldest_unsent_seconds: 5, waiting: 3, last_event_at: '2026-01-01T00:00:02.000Z' }),
    blank('b', { oldest_unsent_seconds: 3, waiting: 1, last_event_at: '2026-01-01T00:00:02.000Z', parked: 3 }),
  ]);
  t.like(totals, { waiting: 4, parked: 3, oldest_unsent_seconds: 5 });
});

test('what the forwarder has done does not wait', async (t) => {
  const { event, bus, later } = harness();
  await event('a:1', 'a:2', 'a:3');
  const done = Promise.withResolvers<void>();
  let handled = 0;
  const subscription = await bus.consume({
    topic: topics.sourceEvents.name,
    group: forwarderGroup,
    handle: async ({ records }) => {
      handled += records.length;
      if (handled === 3) done.resolve();
      return records.map(() => ({ kind: 'done' }));
    },
  });
  await done.promise;
  await subscription.close();
  const { status, totals } = await later();
  t.deepEqual(status.integrations, []);
  t.is(totals.waiting, 0);
});

test('accepted counts come from the store, and the newest event of either side counts', async (t) => {
  const { accept, event, later } = harness();
  await accept('a', 's0', { observations: 4, messages: 2, last_event_at: '2025-12-31T00:00:00.000Z' });
  await accept('b', 's0', { observations: 1, messages: 0, last_event_at: '2027-01-01T00:00:00.000Z' });
  await event('a:1', 'b:1');
  const { status, totals } = await later(0);
  t.like(status.integrations[0], {
    accepted_observations: 4,
    accepted_messages: 2,
    last_event_at: '2026-01-01T00:00:00.000Z',
  });
  t.like(status.integrations[1], { accepted_observations: 1, last_event_at: '2027-01-01T00:00:00.000Z' });
  t.like(totals, { accepted_observations: 5, accepted_messages: 2 });
});

for (const { name: missing } of [topics.emergencies, topics.sourceEventsParked, topics.deadLetters, topics.sosLog])
  test(`without the topic ${missing} the status is whole but for what it would hold, and says so`, async (t) => {
    const { bus, event, later } = harness();
    const { pending, read } = bus;
    const unknown = new RelayError('bus_topic_unknown', { details: { topic: missing } });
    bus.pending = async (topic, group) => {
      if (topic === missing) throw unknown;
      return pending(topic, group);
    };
    bus.read = async function* (wanted) {
      if (wanted.topic === missing) throw unknown;
      yield* read(wanted);
    };
    await event('a:1');
    const { status } = await later();
    t.is(status.integrations[0]?.waiting, 1);
    const [first] = status.verdict.problems;
    t.like(first, { condition: 'topic_unavailable', subject: missing });
    t.regex(first?.text ?? '', /it does not exist; what it holds is not shown here/);
  });

test('while the bus is away the status is whole but for what it holds, and says so', async (t) => {
  const { bus, collect } = harness();
  bus.pending = () => Promise.reject(new RelayError('bus_unavailable', { details: { reason: 'no broker answers' } }));
  const { status } = await collect();
  t.regex(status.verdict.text, /cannot be used: .*no broker answers; what it holds is not shown here/);
});

test('live dead letters are counted by integration, those of none apart', async (t) => {
  const { letters, kv, clock, later } = harness();
  await letters({ id: '1', integration_id: 'a' }, { id: '2', integration_id: 'a' }, { id: '3', integration_id: null });
  await markLetter(kv.state, clock, { id: '2', attempts: 1 }, 'dropped');
  const { status, totals } = await later(0);
  t.deepEqual(status.integrations, [blank('a', { dead_letters: 1 })]);
  t.is(status.unassigned_dead_letters, 1);
  t.is(totals.dead_letters, 2);
});

test('integrations are sorted by id', async (t) => {
  const { event, collect } = harness();
  await event('c:1', 'a:1', 'b:1');
  t.deepEqual(
    (await collect()).status.integrations.map(({ id }) => id),
    ['a', 'b', 'c'],
  );
});

test('many callers cost one look a second, while services are asked each time', async (t) => {
  const { event, collect, later, services } = harness();
  await event('a:1');
  t.is((await collect()).totals.waiting, 1);
  await event('a:2');
  services[0] = { name: 'webhook-ingester', ready: false, failing: [] };
  const again = await collect();
  t.is(again.totals.waiting, 1);
  t.false(again.status.services[0]?.ready);
  t.is((await later(20_000)).totals.waiting, 2);
});

test('a clock that jumps back makes no negative age', async (t) => {
  const { event, collect, clock } = harness();
  await event('a:1');
  clock.jump(-60_000);
  t.is((await collect()).status.integrations[0]?.oldest_unsent_seconds, 0);
});

test('a store that is away is said, and asked again', async (t) => {
  const { bus, kv, conditions, clock } = stores();
  let away = true;
  const list: typeof kv.state.list = (prefix) => (away ? Promise.reject(new Error('away')) : kv.state.list(prefix));
  const broken = { ...kv, state: { ...kv.state, list } };
  const collect = collectStatus({ bus, kv: broken, services: () => [], conditions, clock });
  await t.throwsAsync(collect(), { message: 'away' });
  away = false;
  t.deepEqual((await collect()).status.integrations, []);
});

test('texts to devices come from the ledger, last runs are asked for each time', async (t) => {
  const { bus, kv, conditions, clock } = stores();
  const updated_at = new Date(clock.now() - 5_000).toISOString();
  await kv.state.set('push.a.1', JSON.stringify({ state: 'unknown', updated_at }));
  const runs: LastRun[] = [];
  const collect = collectStatus({ bus, kv, services: () => [], runs: () => runs, conditions, clock });
  t.deepEqual((await collect()).status.texts, { ...noTexts, unknown: 1, oldest_undecided_seconds: 5 });
  runs.push({ integration_id: 'a', action_id: 'pull', ended_at: updated_at, outcome: 'complete' });
  t.deepEqual((await collect()).status.runs, runs);
});

test('integrations have the names that the configuration cache knows', async (t) => {
  const { event, kv, collect } = harness();
  await event('a:1', 'b:1');
  await kv.config.set(
    'integration.a',
    JSON.stringify({ loaded_at: '2026-01-01T00:00:00Z', value: { name: 'North park' } }),
  );
  await kv.config.set('integration.b', 'no JSON');
  const { status } = await collect();
  t.deepEqual(
    status.integrations.map(({ name }) => name),
    ['North park', null],
  );
});

test('the newest dead letters are listed, those of an SOS first', async (t) => {
  const { letters, collect } = harness();
  await letters(
    { id: 'sos', body_base64: Buffer.from(JSON.stringify(refusedEvent({ sos: 'declared' }))).toString('base64') },
    ...Array.from({ length: 25 }, (_, n) => ({ id: `letter-${n}`, received_at: `2026-01-01T00:00:${10 + n}.000Z` })),
  );
  const overview = await collect();
  t.is(overview.totals.dead_letters, 26);
  t.deepEqual(
    overview.letters.slice(0, 3).map(({ id }) => id),
    ['sos', 'letter-24', 'letter-23'],
  );
  t.is(overview.letters.length, 20);
  t.is(overview.status.verdict.level, 'critical');
});
