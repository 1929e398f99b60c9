import { replayHeaders } from '@ranger-relay/bus';
import test from 'ava';
import { deliveredOf } from './delivered.ts';
import { event, parkA, record } from './test/events.ts';
import { failure, harness } from './test/harness.ts';

const sos = event(1, { sos: 'declared', message_code: 4, text: 'help' });

const steps = (w: ReturnType<typeof harness>) => w.bus.values('sos-log');

test('an SOS is on its log as accepted once the platform has every part, with the ids that it gave', async (t) => {
  const w = harness();
  w.platform.script = ({ part }) => (part === 'message' ? failure.outage() : undefined);
  await w.handleEmergency([sos]);
  t.deepEqual(steps(w), []);
  w.platform.script = () => undefined;
  await w.clock.advance(5_000);
  await w.handleEmergency([sos]);
  const of = { event_id: 'event-1', sos: 'declared' };
  t.like(steps(w)[0], { ...of, step: 'accepted', parts: ['message'], object_ids: ['object-0'] });
  t.like(steps(w)[1], { ...of, step: 'settled', parts: ['observation'] });
  t.is(steps(w).length, 2);
});

test('only SOS are on the log of SOS', async (t) => {
  const w = harness();
  await w.handle([event(1, { text: 'a' })]);
  t.deepEqual(w.bus.calls, []);
});

test('a refused part is not accepted, whatever became of the other', async (t) => {
  const w = harness();
  w.platform.script = ({ part }) =>
    part === 'observation' ? { kind: 'refused', offenders: [{ index: 0, reason: 'no' }] } : undefined;
  await w.handleEmergency([sos]);
  t.like(steps(w)[0], { step: 'accepted', parts: ['message'] });
  t.false(w.activity.some(({ payload }) => String(payload['title']).includes('accepted after')));
});

test('an SOS that was refused and comes again is not told as accepted', async (t) => {
  const w = harness();
  w.platform.script = () => ({ kind: 'refused', offenders: [{ index: 0, reason: 'no' }] });
  await w.handleEmergency([sos]);
  await w.handleEmergency([sos]);
  t.deepEqual(
    steps(w).map(({ step }) => step),
    ['settled'],
  );
});

test('an SOS is committed only after its acceptance is on the log, so that no kill leaves it untold', async (t) => {
  const w = harness();
  const away = Promise.withResolvers<void>();
  w.bus.before = ({ topic }) => (topic === 'sos-log' ? away.promise : undefined);
  const [outcome] = await w.handleEmergency([sos]);
  const after = outcome?.kind === 'done' ? outcome.after : undefined;
  let committed = false;
  void after?.then(() => (committed = true));
  await w.clock.advance(1);
  t.deepEqual([committed, steps(w)], [false, []]);
  away.resolve();
  await after;
  t.is(steps(w).length, 1);
});

test('an SOS that comes again after it was sent is logged again: the process that sent it may have ended before', async (t) => {
  const w = harness();
  w.bus.before = ({ topic }) => (topic === 'sos-log' ? Promise.reject(new Error('away')) : undefined);
  await w.handleEmergency([sos]);
  t.is(await deliveredOf(w.state, sos), 'done');
  const heir = harness({ state: w.state, clock: w.clock });
  await heir.handleEmergency([sos]);
  t.like(steps(heir)[0], { step: 'settled', event_id: 'event-1', parts: ['observation', 'message'] });
  t.deepEqual(heir.calls, []);
});

test('a log that cannot be written delays no SOS, and is written when it can be', async (t) => {
  const w = harness();
  w.bus.before = ({ topic }) => (topic === 'sos-log' ? new Promise(() => undefined) : undefined);
  await w.handleEmergency([sos]);
  t.is(await deliveredOf(w.state, sos), 'done');
  w.bus.before = ({ topic }) => (topic === 'sos-log' ? Promise.reject(new Error('forbidden')) : undefined);
  await w.handleEmergency([event(2, { sos: 'declared' }), event(3, { sos: 'declared' })]);
  t.is(w.calls.length, 3);
  w.bus.before = () => undefined;
  await w.clock.advance(10_000);
  t.deepEqual([...new Set(steps(w).map((step) => step['event_id']))].sort(), ['event-1', 'event-2', 'event-3']);
});

test('a replay is the same SOS: no second entry, and its acceptance names event and dead letter', async (t) => {
  const w = harness();
  const letter = { id: 'letter-1', attempts: 1 };
  const replay = { ...event(1, { sos: 'declared' }), event_id: 'replay-1', replay_of: 'event-1' };
  const records = [{ ...record(replay, 0), headers: replayHeaders(letter) }];
  await w.handleEmergency([], { records, lane: parkA });
  t.like(steps(w)[0], { step: 'accepted', event_id: 'event-1', dead_letter: letter });
  t.deepEqual(
    w.activity.map(({ payload }) => payload['title']),
    ['SOS declared by device 300434030000001 accepted after 0.0 s'],
  );
});

test('a replay that is refused again is the same dead letter, with one more attempt', async (t) => {
  const w = harness();
  w.platform.script = () => ({ kind: 'refused', offenders: [{ index: 0, reason: 'no' }] });
  const records = [{ ...record(event(1), 0), headers: replayHeaders({ id: 'letter-1', attempts: 1 }) }];
  await w.handle([], { records });
  t.like(w.letters()[0], { id: 'letter-1', attempts: 2 });
});
