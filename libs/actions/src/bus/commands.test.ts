import type { BusRecord, Outcome } from '@ranger-relay/bus';
import { commandKey, newCommand } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import { testContext } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { commandConsumer } from './commands.ts';
import type { ReplayedLetter } from '../replay.ts';
import { replayCommand } from '../index.ts';
import { action, gate, scheduled, type Handler } from '../test/actions.ts';
import { park, harness, type HarnessOptions } from '../test/harness.ts';

const topic = 'site-actions-topic';

const open = (run?: Handler, options?: HarnessOptions) => {
  const w = harness({ action_work: action('generic', run), action_pull: action('pull', run) }, options);
  w.platform.configs = { work: {}, pull: scheduled };
  const { clock, random, log, runtime } = w;
  const { metrics } = testContext({ clock });
  const believed = { time: (): number | null => clock.now() };
  const consumer = commandConsumer({
    time: () => believed.time(),
    runtime,
    context: { clock, random, log, metrics },
    topic,
    group: 'action-runner',
  });
  let offset = 0n;
  const recordOf = (value: string, key = commandKey(park, 'work')): BusRecord => ({
    topic,
    partition: 3,
    offset: (offset += 1n),
    key,
    value: new TextEncoder().encode(value),
    headers: {},
    timestamp: clock.now(),
  });
  const commandOf = (actionId: string, parts: object = {}): BusRecord =>
    recordOf(
      JSON.stringify({
        ...newCommand({ eventId: `e${offset}`, at: 0, integrationId: park, actionId, triggeredBy: 'auto' }),
        ...parts,
      }),
      commandKey(park, actionId),
    );
  const handle = async (record: BusRecord, attempt = 0): Promise<Outcome> => {
    const batch = {
      topic,
      partition: 3,
      lane: record.key,
      records: [record],
      apart: false,
      attempt,
      maybeSent: [],
      announce: async () => true,
      signal: new AbortController().signal,
    };
    const outcomes = await w.settled(consumer.handle(batch) as Promise<readonly Outcome[]>);
    return outcomes[0] as Outcome;
  };
  return { ...w, believed, consumer, metrics, recordOf, commandOf, handle };
};

test('a command is run and committed', async (t) => {
  const w = open(() => null);
  t.deepEqual(await w.handle(w.commandOf('work')), { kind: 'done' });
  t.deepEqual(w.kinds(), ['Started', 'Complete']);
});

test('each action of each integration is a lane of its own, one command at a time', (t) => {
  const { consumer, commandOf } = open();
  t.is(consumer.lane, 'key');
  t.is(commandOf('pull').key, `${park}:pull`);
  t.is(consumer.maxBatch, 1);
});

test('what can be helped by a repeat waits longer each time, up to ten minutes', async (t) => {
  const w = open(() => Promise.reject(new RelayError('http_connect')));
  const record = w.commandOf('work');
  const waits: number[] = [];
  for (const attempt of [0, 1, 2, 10]) {
    const outcome = await w.handle(record, attempt);
    waits.push(outcome.kind === 'retry' ? outcome.afterMs : -1);
  }
  t.true((waits[0] ?? 0) >= 10_000 && (waits[0] ?? 0) <= 15_000);
  t.true((waits[1] ?? 0) >= 20_000 && (waits[2] ?? 0) >= 40_000);
  t.is(waits[3], 600_000);
});

test('a wait that the other side asks for is kept', async (t) => {
  const w = open(() => Promise.reject(new RelayError('platform_rate_limited', { retryAfterMs: 120_000 })));
  t.deepEqual(await w.handle(w.commandOf('work')), { kind: 'retry', afterMs: 120_000 });
});

test('ticks that waited behind a long run are one run; what a person or a back-fill asks for is run each time', async (t) => {
  let runs = 0;
  const w = open(() => (runs += 1));
  const begin = w.clock.now();
  const due = (minutes: number, parts: object = {}): BusRecord =>
    w.commandOf('work', { scheduled_at: new Date(begin + minutes * 60_000).toISOString(), ...parts });
  const runsAfter = async (record: BusRecord, attempt = 0): Promise<number> => {
    t.deepEqual(await w.handle(record, attempt), { kind: 'done' });
    return runs;
  };
  t.is(await runsAfter(due(0)), 1);
  await w.clock.advance(14 * 60_000);
  t.is(await runsAfter(due(5)), 2, 'the first that waited is run');
  t.is(await runsAfter(due(10)), 2, 'that run did the work of the others');
  t.is(await runsAfter(due(10, { triggered_by: 'manual' })), 3);
  t.is(await runsAfter(due(10, { payload: { self_triggered: true } })), 4);
  t.is(await runsAfter(due(10, { config_overrides: { a: 1 } })), 5);
  t.is(await runsAfter(due(10), 1), 6, 'a repeat was begun already');
  t.is(await runsAfter(due(15)), 7);
});

test('what failed for good, was skipped or is done with is committed', async (t) => {
  const w = open(() => Promise.reject(new Error('bug')));
  const record = w.commandOf('work');
  t.deepEqual(await w.handle(record), { kind: 'done' });
  t.deepEqual(await w.handle(record, 1), { kind: 'done' });
  t.is(w.kinds().length, 2);
  w.platform.configs = { pull: {} };
  t.deepEqual(await w.handle(w.commandOf('pull')), { kind: 'done' });
  w.platform.enabled = false;
  t.deepEqual(await w.handle(w.commandOf('work')), { kind: 'done' });
});

test('platform or store down, too many runs, over time: tried again', async (t) => {
  const { run } = gate();
  const w = open(run, { limits: { total: 1, perIntegration: 1 } });
  w.platform.down = true;
  t.is((await w.handle(w.commandOf('work'))).kind, 'retry');
  w.platform.down = false;
  w.space.away = true;
  t.is((await w.handle(w.commandOf('pull'))).kind, 'retry');
  w.space.away = false;
  void w.start('work');
  await w.clock.advance(0);
  t.is((await w.handle(w.commandOf('work'))).kind, 'retry');
});

test('a pull that runs elsewhere: a fresh tick is committed, a redelivered or self-triggered command tried again', async (t) => {
  const w = open(gate().run);
  void w.start('pull');
  await w.clock.advance(0);
  t.is((await w.handle(w.commandOf('pull'))).kind, 'done');
  t.is((await w.handle(w.commandOf('pull', { event_id: 'x' }), 1)).kind, 'retry');
  const own = { event_id: 'y', payload: { self_triggered: true } };
  t.is((await w.handle(w.commandOf('pull', own))).kind, 'retry');
});

test('what cannot be read or run goes to the dead letters', async (t) => {
  const w = open();
  for (const bad of ['', '{', '[]', '{}', '{"integration_id":"x"}'])
    t.like(await w.handle(w.recordOf(bad)), { kind: 'dead', letter: { kind: 'command', reason: 'record_unreadable' } });
  t.like(await w.handle(w.commandOf('none')), {
    kind: 'dead',
    letter: { kind: 'command', integrationId: park, reason: 'action_unknown' },
  });
  w.platform.known = false;
  t.like(await w.handle(w.commandOf('work')), { kind: 'dead', letter: { reason: 'integration_unknown' } });
});

test('a command that failed for a day is given up', async (t) => {
  const w = open(() => Promise.reject(new RelayError('http_connect')));
  const record = w.commandOf('work');
  await w.clock.advance(86_400_001);
  t.like(await w.handle(record), { kind: 'dead', letter: { reason: 'command_expired' } });
});

test('a command is not given up by a clock that is days ahead, or while nobody else tells the time', async (t) => {
  const w = open(() => Promise.reject(new RelayError('http_connect')));
  const record = w.commandOf('work');
  const right = w.clock.now();
  await w.clock.advance(3 * 86_400_000);
  for (const time of [right, null]) {
    w.believed.time = () => time;
    t.is((await w.handle(record)).kind, 'retry');
  }
});

test('a tick is passed over only when a run of the same did its work: not one that failed, was skipped or had overrides', async (t) => {
  let fails = true;
  let runs = 0;
  const w = open(() => {
    runs += 1;
    if (fails) throw new Error('bug');
  });
  const tick = (parts: object = {}): BusRecord =>
    w.commandOf('work', { scheduled_at: new Date(w.clock.now() - 1).toISOString(), ...parts });
  await w.handle(tick());
  t.is(runs, 1);
  await w.handle(tick());
  t.is(runs, 2, 'the one before failed');
  fails = false;
  await w.handle(tick({ triggered_by: 'manual', config_overrides: { days: 1 } }));
  w.platform.enabled = false;
  await w.handle(tick({ triggered_by: 'manual' }));
  w.platform.enabled = true;
  t.is(runs, 3);
  await w.handle(tick());
  t.is(runs, 4, 'the ones before did something else, or nothing');
  await w.handle(tick());
  t.is(runs, 4);
});

test('a clock that is ahead passes over no tick that was not due when the run began', async (t) => {
  let runs = 0;
  const w = open(() => (runs += 1));
  const now = w.clock.now();
  w.clock.jump(20 * 60_000);
  const tickAt = (minute: number): Promise<Outcome> => {
    w.believed.time = () => now + minute * 60_000;
    return w.handle(w.commandOf('work', { scheduled_at: new Date(now + minute * 60_000).toISOString() }));
  };
  await tickAt(0);
  await tickAt(10);
  t.is(runs, 2);
});

test('while the time of the platform is not known no tick is passed over', async (t) => {
  let runs = 0;
  const w = open(() => (runs += 1));
  w.believed.time = () => null;
  const tick = w.commandOf('work', { scheduled_at: new Date(w.clock.now()).toISOString() });
  await w.handle(tick);
  await w.handle(tick);
  t.is(runs, 1, 'one event runs once');
  await w.handle(w.commandOf('work', { scheduled_at: new Date(w.clock.now()).toISOString() }));
  t.is(runs, 2);
});

test('an integration’s ticks are passed over for its own runs alone, whatever key its records have', async (t) => {
  let runs = 0;
  const w = open(() => (runs += 1));
  for (const integration_id of [park, 'aaaaaaaa-0000-4000-8000-000000000001']) {
    const command = { integration_id, action_id: 'work', triggered_by: 'auto', scheduled_at: '1970-01-01T00:00:00Z' };
    await w.handle(w.recordOf(JSON.stringify(command), ''));
  }
  t.is(runs, 2);
});

test('a word that nobody knows for who asked is a schedule, and counted', async (t) => {
  const w = open(({ triggeredBy }) => t.is(triggeredBy, 'auto'));
  t.deepEqual(await w.handle(w.commandOf('work', { triggered_by: 'scheduled' })), { kind: 'done' });
  t.deepEqual(w.kinds(), ['Started', 'Complete']);
  t.regex(await w.metrics.render(), /^relay_unknown_triggers_total 1$/m);
});

test('a command of a newer version waits for that version for a day, and is told', async (t) => {
  const w = open();
  const record = w.recordOf(JSON.stringify({ schema_version: 'v2', target: { integration: park } }));
  for (const attempt of [0, 1, 5]) t.is((await w.handle(record, attempt)).kind, 'retry');
  t.true(w.lines.some((line) => JSON.stringify(line).includes('waits for a newer version')));
  await w.clock.advance(86_400_001);
  t.like(await w.handle(record), { kind: 'dead', letter: { reason: 'command_expired' } });
});

const letterOf = (record: BusRecord): ReplayedLetter => ({
  v: 1,
  id: '00000000-0000-4000-8000-000000000001',
  integration_id: park,
  reason: 'action_unknown',
  detail: '',
  received_at: '2026-01-01T00:00:00.000Z',
  failed_at: '2026-01-01T00:00:00.000Z',
  attempts: 1,
  origin: { topic, partition: 3, offset: '1' },
  headers: {},
  body_base64: Buffer.from(record.value).toString('base64'),
});

test('a replayed command is run although it counts as worked on, once however often it is replayed', async (t) => {
  let runs = 0;
  const w = open(() => (runs += 1));
  const record = w.commandOf('work', { event_id: 'e', scheduled_at: '2025-12-31T00:00:00.000Z' });
  await w.handle(record);
  await w.handle(record);
  t.is(runs, 1);
  for (const _ of [1, 2]) {
    const { key, value } = replayCommand(letterOf(record), w.clock);
    t.deepEqual(await w.handle(w.recordOf(String(value), key)), { kind: 'done' });
  }
  t.is(runs, 2);
});

test('a replayed command that comes to nothing is a dead letter again', async (t) => {
  const w = open(() => Promise.reject(new Error('bug')));
  const replayed = (id: string, actionId: string): BusRecord => {
    const { key, value } = replayCommand({ ...letterOf(w.commandOf(actionId)), id }, w.clock);
    return w.recordOf(String(value), key);
  };
  t.like(await w.handle(replayed('1', 'work')), { kind: 'dead', letter: { reason: 'action_failed' } });
  w.platform.configs = { pull: {} };
  t.like(await w.handle(replayed('2', 'pull')), { kind: 'dead', letter: { reason: 'run_on_schedule_disabled' } });
  w.platform.enabled = false;
  t.like(await w.handle(replayed('3', 'work')), { kind: 'dead', letter: { reason: 'integration_disabled' } });
});

test('a command without an event id is known by its place', async (t) => {
  let runs = 0;
  const w = open(() => (runs += 1));
  const record = w.commandOf('work', { event_id: null });
  await w.handle(record);
  await w.handle(record, 1);
  t.is(runs, 1);
});
