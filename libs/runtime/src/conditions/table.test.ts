import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { manualClock, recordingLogger, testContext } from '../testing/index.ts';
import { type ConditionName, conditionList, conditionSpec, isConditionName } from './catalogue.ts';
import { type ConditionState, mergeConditions, runProbe } from './table.ts';

const minute = 60_000;

const setUp = () => {
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const { conditions, metrics } = testContext({ clock, log });
  const gauge = async (name: ConditionName): Promise<string | undefined> =>
    new RegExp(`^relay_active_conditions\\{condition="${name}",.*\\} (\\d+)$`, 'm').exec(await metrics.render())?.[1];
  return { clock, conditions, lines, gauge };
};

test('a condition holds until it is cleared, however long nothing happens', async (t) => {
  const { clock, conditions } = setUp();
  conditions.set('bus_write_failing', 'emergencies', { reason: 'disk full' });
  await clock.advance(24 * 60 * minute);
  t.like(conditions.find('bus_write_failing', 'emergencies'), { count: 1, details: { reason: 'disk full' } });
  conditions.clear('bus_write_failing', 'source-events');
  t.is(conditions.active().length, 1, 'another subject is another condition');
  conditions.clear('bus_write_failing', 'emergencies');
  t.deepEqual(conditions.active(), []);
});

test('a change is one line, what lasts is one line a minute, and its end is one line', async (t) => {
  const { clock, conditions, lines } = setUp();
  for (let n = 0; n < 1_000; n += 1) conditions.set('api_key_refused', 'park');
  t.is(lines.length, 1);
  await clock.advance(5 * minute);
  t.is(lines.length, 6);
  conditions.clear('api_key_refused', 'park');
  await clock.advance(5 * minute);
  t.deepEqual(
    lines.map(({ level }) => level),
    ['error', 'error', 'error', 'error', 'error', 'error', 'warn'],
  );
});

test('a fault that comes and goes is a pair of lines a minute', async (t) => {
  const { clock, conditions, lines } = setUp();
  for (let n = 0; n < 600; n += 1) {
    conditions.set('webhook_request_refused', '', { status: 401 });
    conditions.clear('webhook_request_refused', '');
    await clock.advance(100);
  }
  t.true(lines.length <= 4, `${lines.length}`);
});

test('a thousand subjects of one cause are 20 lines when they begin, 21 a minute while they last, and no more when they end', async (t) => {
  const { clock, conditions, lines } = setUp();
  for (let n = 0; n < 1_000; n += 1) conditions.set('api_key_refused', `park-${n}`);
  t.is(lines.length, 20);
  conditions.set('bus_write_failing', 'emergencies', { reason: 'x' });
  t.is(lines.length, 21, 'another condition is told of');
  const before = lines.length;
  await clock.advance(minute);
  t.is(lines.length - before, 21);
  const lasting = lines.length;
  for (let n = 0; n < 1_000; n += 1) conditions.clear('api_key_refused', `park-${n}`);
  t.true(lines.length - lasting <= 40, `${lines.length - lasting}`);
});

test('the metric shows of how many subjects a condition holds, and 0 from the start', async (t) => {
  const { conditions, gauge } = setUp();
  for (const name of Object.keys(conditionList)) t.is(await gauge(name as ConditionName), '0', name);
  conditions.set('api_key_refused', 'a');
  conditions.set('api_key_refused', 'b');
  conditions.set('api_key_refused', 'b');
  t.is(await gauge('api_key_refused'), '2');
  conditions.clear('api_key_refused', 'a');
  t.is(await gauge('api_key_refused'), '1');
});

test('a condition ends with its integration, be it of the park, a device or an action', (t) => {
  const { conditions } = setUp();
  conditions.set('api_key_refused', 'a');
  conditions.set('sos_waiting', 'a/300434030000001', { state: 'declared' });
  conditions.set('action_failing', 'a/pull_events', { reason: 'x' });
  conditions.set('api_key_refused', 'ab');
  conditions.set('bus_write_failing', 'a', { reason: 'x' });
  conditions.endSubject('a', 'disabled');
  t.deepEqual(
    conditions
      .active()
      .map(({ name, subject }) => `${name} ${subject}`)
      .sort(),
    ['api_key_refused ab', 'bus_write_failing a'],
  );
});

test('an action without a configuration ends alone, and what is wrong while disabled ends when enabled or deleted', (t) => {
  const { conditions } = setUp();
  const names = () => conditions.active().map(({ name }) => name);
  conditions.set('action_failing', 'a/pull_events', { reason: 'x' });
  conditions.set('sos_dropped', 'a');
  conditions.endSubject('a/pull_events', 'deleted');
  t.deepEqual(names(), ['sos_dropped']);
  conditions.set('api_key_refused', 'a');
  conditions.endSubject('a', 'disabled');
  t.deepEqual(names(), ['sos_dropped']);
  conditions.set('api_key_refused', 'a');
  conditions.endSubject('a', 'enabled');
  t.deepEqual(names(), ['api_key_refused']);
});

test('a condition that another process set ends with its integration too', async (t) => {
  const { clock, conditions } = setUp();
  const other = { ...dismissed(clock.now()), active: true };
  conditions.learn([[other]]);
  await clock.advance(1_000);
  conditions.endSubject('a', 'deleted');
  t.deepEqual(mergeConditions([[other], conditions.view()]), []);
});

test('of many conditions that last, the critical ones are told of first', async (t) => {
  const { clock, conditions, lines } = setUp();
  for (let n = 0; n < 50; n += 1) conditions.set('events_waiting', `p${n}`, { events: 1, parked: 0 });
  conditions.set('bus_write_failing', 'emergencies', { reason: 'x' });
  lines.length = 0;
  await clock.advance(minute);
  t.like(lines[0], { condition: 'bus_write_failing' });
});

const dismissed = (at: number): ConditionState => ({
  name: 'webhook_token_refused',
  subject: 'a',
  active: false,
  since: at,
  lastAt: at,
  count: 0,
  details: {},
});

test('a person’s word ends a condition, unless the fault was seen again since', async (t) => {
  const { clock, conditions } = setUp();
  conditions.set('webhook_token_refused', 'a');
  const word = clock.now() + 1_000;
  await clock.advance(2_000);
  conditions.set('webhook_token_refused', 'a');
  conditions.learn([[dismissed(word)]]);
  t.is(conditions.active().length, 1);
  conditions.learn([[dismissed(clock.now())]]);
  t.is(conditions.active().length, 0);
});

test('each SOS has a line of its own when it begins, also while a full disk explains it', (t) => {
  const { conditions, lines } = setUp();
  conditions.set('volume_full', '', { path: '/data', free_mib: 0, free_percent: 0 });
  conditions.set('sos_not_stored', 'a/d/e', {
    state: 'declared',
    recorded_at: 'x',
    status: 503,
    code: 'store_full',
    reason: 'full',
  });
  t.like(lines.at(-1), { condition: 'sos_not_stored', subject: 'a/d/e' });
});

test('where good and bad requests alternate, a good one ends the condition only after five minutes without a bad one', async (t) => {
  const { clock, conditions } = setUp();
  const heir = setUp().conditions;
  conditions.set('webhook_token_refused', 'a');
  heir.learn([conditions.view()]);
  await clock.advance(5 * minute - 1);
  for (const table of [conditions, heir]) table.clear('webhook_token_refused', 'a');
  t.true(conditions.find('webhook_token_refused', 'a')?.active);
  t.deepEqual(heir.view(), []);
  await clock.advance(1);
  conditions.clear('webhook_token_refused', 'a');
  t.is(conditions.find('webhook_token_refused', 'a'), undefined);
});

test('a probe sets and clears by itself; one that cannot be asked changes nothing', async (t) => {
  const { clock, conditions } = setUp();
  let answer: { reason: string } | null | undefined = { reason: 'x' };
  const stop = runProbe(
    { clock, conditions },
    { name: 'clock_wrong', subject: 'up', everyMs: 1_000, ask: () => answer },
  );
  await clock.advance(1_000);
  t.is(conditions.active().length, 1);
  answer = undefined;
  await clock.advance(1_000);
  t.is(conditions.active().length, 1);
  answer = null;
  await clock.advance(1_000);
  t.is(conditions.active().length, 0);
  await stop();
});

const state = (at: number, active: boolean, since = at): ConditionState => ({
  name: 'api_key_refused',
  subject: 'a',
  active,
  since,
  lastAt: at,
  count: 1,
  details: {},
});

test('of several processes the newest set or clear wins, and the condition began with the first that still holds', (t) => {
  t.deepEqual(mergeConditions([[state(5, true)], [state(9, false)]]), []);
  t.like(mergeConditions([[state(9, true, 3)], [state(5, false)]])[0], { since: 3 });
  t.like(mergeConditions([[state(9, true, 7)], [state(8, true, 6)], [state(2, false)]])[0], { since: 6, count: 2 });
});

const bySubject = (states: readonly ConditionState[]) => states.toSorted((a, b) => (a.subject < b.subject ? -1 : 1));

test('a process that sees its own shared view beside its table counts nothing twice', (t) => {
  t.is(mergeConditions([[state(9, true, 3)], [{ ...state(8, true, 3), count: 1 }]])[0]?.count, 1);
});

testProp(
  'the order of the views does not matter, and merging twice changes nothing',
  [fc.array(fc.tuple(fc.nat(50), fc.boolean(), fc.constantFrom('a', 'b')), { maxLength: 12 })],
  (t, drawn) => {
    const seen = new Set<string>();
    const views = drawn
      .filter(([at, , subject]) => !seen.has(`${at} ${subject}`) && seen.add(`${at} ${subject}`))
      .map(([at, active, subject]) => [{ ...state(at, active), subject }]);
    const merged = mergeConditions(views);
    t.deepEqual(bySubject(mergeConditions(views.toReversed())), bySubject(merged));
    t.deepEqual(bySubject(mergeConditions([merged])), bySubject(merged));
  },
);

test('what follows from another condition is told with it, in one line, and alone once that has ended', async (t) => {
  const { clock, conditions, lines } = setUp();
  conditions.set('bus_write_failing', 'emergencies', { reason: 'disk full' });
  conditions.set('bus_write_failing', 'source-events', { reason: 'disk full' });
  for (const park of ['a', 'b'])
    conditions.set('webhook_failing', park, { status: 503, code: 'store_full', reason: 'x' });
  conditions.set('webhook_failing', 'c', { status: 415, code: 'body_encoded', reason: 'x' });
  const told = () => lines.splice(0).map(({ condition, subject, follows }) => [condition, subject, follows]);
  t.deepEqual(told(), [
    ['bus_write_failing', 'emergencies', undefined],
    ['webhook_failing', 'c', undefined],
  ]);
  await clock.advance(minute);
  const follows =
    'records cannot be written to source-events; requests of a and b were refused, and what they held is not here yet: call these parks by telephone';
  t.deepEqual(told(), [
    ['bus_write_failing', 'emergencies', follows],
    ['webhook_failing', 'c', undefined],
  ]);
  for (const topic of ['emergencies', 'source-events']) conditions.clear('bus_write_failing', topic);
  lines.splice(0);
  await clock.advance(minute);
  t.deepEqual(
    told().map(([, subject]) => subject),
    ['a', 'b', 'c'],
  );
});

test('what a condition may follow from is a condition', (t) => {
  const details = [{}, { code: 'store_full' }, { code: 'clock_behind' }];
  for (const name of Object.keys(conditionList).filter(isConditionName))
    for (const each of details)
      for (const cause of conditionSpec(name).follows?.from(each) ?? []) t.true(isConditionName(cause), cause);
});
