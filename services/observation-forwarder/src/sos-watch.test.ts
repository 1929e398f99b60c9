import { topics } from '@ranger-relay/contracts';
import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { measure } from './compose.ts';
import { createSosWatch } from './sos-watch.ts';
import { isTask, readTasks, type Task } from './task.ts';
import { event, record } from './test/events.ts';
import { failure, harness } from './test/harness.ts';

const startMs = Date.UTC(2026, 0, 1);
const minute = 60_000;
const lane = { topic: topics.sourceEvents.name, partition: 3 };
const mine = () => true;

const sos = (n: number, more = {}) =>
  event(n, { sos: 'declared', message_code: 4, received_at: new Date(startMs).toISOString(), ...more });
const tasksOf = (...events: unknown[]): Task[] =>
  readTasks({ records: events.map((each, at) => record(each, at)), maybeSent: [] }).filter(isTask);
const finish = (task: Task | undefined): void =>
  void Object.assign(task?.due ?? {}, { observation: false, message: false });

test('an SOS waits from its receipt until it is finished; other events do not count', (t) => {
  const clock = manualClock(startMs + 5 * minute);
  const watch = createSosWatch(clock);
  const tasks = tasksOf(event(1), sos(2), sos(3, { received_at: new Date(startMs + minute).toISOString() }));
  watch.note(lane, tasks);
  t.is(watch.oldestAgeSeconds(mine), 300);
  finish(tasks[1]);
  watch.note(lane, tasks);
  t.is(watch.oldestAgeSeconds(mine), 240);
  finish(tasks[2]);
  watch.note(lane, tasks);
  t.is(watch.oldestAgeSeconds(mine), 0);
});

test('a repeat beside an SOS that waits does not hide it', (t) => {
  const watch = createSosWatch(manualClock(startMs + minute));
  const tasks = tasksOf(sos(1), sos(1));
  finish(tasks[1]);
  watch.note(lane, tasks);
  t.is(watch.oldestAgeSeconds(mine), 60);
});

test('what another process has now, and what is never delivered again, is forgotten', async (t) => {
  const clock = manualClock(startMs + minute);
  const watch = createSosWatch(clock);
  watch.note(lane, tasksOf(sos(1)));
  t.is(
    watch.oldestAgeSeconds((topic, partition) => topic !== lane.topic || partition !== lane.partition),
    0,
  );
  t.is(watch.oldestAgeSeconds(mine), 0);
  watch.note(lane, tasksOf(sos(2)));
  await clock.advance(31 * minute);
  t.is(watch.oldestAgeSeconds(mine), 0);
});

/** The lines of a world's metrics that are asked for. */
const shown = async (w: ReturnType<typeof harness>) => {
  const parked = topics.sourceEventsParked.name;
  const subscription = {
    assigned: () => [3],
    oldestPending: () => null,
    undone: () => ({ has: () => null, names: () => w.bus.records(parked).map(({ key }) => key) }),
  };
  measure(w.context, new Map([topics.sourceEvents.name, parked].map((name) => [name, subscription])), w);
  const text = await w.context.metrics.render();
  return (line: string): number =>
    Number(
      text
        .split('\n')
        .find((each) => each.startsWith(`${line} `))
        ?.split(' ')[1],
    );
};

test('while the platform is away, an SOS in hand is seen waiting', async (t) => {
  const w = harness();
  w.platform.script = () => failure.outage();
  await w.handle([sos(1)]);
  await w.clock.advance(90_000);
  t.is((await shown(w))('relay_oldest_unsent_sos_age_seconds'), 90);
  w.platform.script = () => undefined;
  await w.handle([sos(1)]);
  t.is((await shown(w))('relay_oldest_unsent_sos_age_seconds'), 0);
});

test('events that are parked behind their failing integration are counted, and so are the integrations', async (t) => {
  const w = harness();
  w.platform.script = ({ integrationId }) => (integrationId === 'other' ? undefined : failure.keyRefused());
  await w.handle([event(2), event(3)]);
  await w.clock.advance(1);
  await w.handle([event(1, { integration_id: 'other' })]);
  await w.handle([event(2), event(3)]);
  const value = await shown(w);
  t.is(value('relay_events_parked_total'), 2);
  t.is(value('relay_parked_integrations'), 1);
});

test('an SOS that the platform refuses is counted', async (t) => {
  const w = harness();
  w.platform.script = () => ({ kind: 'refused', offenders: [{ index: 0, reason: 'no' }] });
  await w.handle([sos(1), event(2)]);
  const value = await shown(w);
  t.is(value('relay_sos_events_total{outcome="refused"}'), 1);
});

test('the age of what waits is shown for each topic, and before the consumers have begun too', async (t) => {
  const w = harness();
  measure(w.context, new Map(), w);
  const text = await w.context.metrics.render();
  for (const topic of ['emergencies', 'source-events', 'source-events-parked'])
    t.true(text.includes(`relay_oldest_unsent_event_age_seconds{topic="${topic}"} 0\n`), topic);
});
