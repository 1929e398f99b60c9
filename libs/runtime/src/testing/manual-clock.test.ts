import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { manualClock, seededRandom, testContext } from './index.ts';

test('time stands still until it is moved', async (t) => {
  const clock = manualClock(1_000);
  t.is(clock.now(), 1_000);
  await clock.advance(250);
  t.is(clock.now(), 1_250);
  t.is(clock.monotonic(), 250);
});

test('a jump moves the wall clock alone and runs no timer', async (t) => {
  const clock = manualClock(1_000);
  clock.after(10, () => t.fail());
  clock.jump(-500);
  t.is(clock.now(), 500);
  t.is(clock.monotonic(), 0);
  t.is(clock.pending(), 1);
});

test('timers see the time at which they were due', async (t) => {
  const clock = manualClock(0);
  const seen: number[] = [];
  for (const ms of [30, 10, 20]) clock.after(ms, () => seen.push(clock.monotonic()));
  await clock.advance(25);
  t.deepEqual(seen, [10, 20]);
  t.is(clock.monotonic(), 25);
  t.is(clock.pending(), 1);
});

test('timers that timers set run too when they come due', async (t) => {
  const clock = manualClock();
  let ticks = 0;
  const tick = (): void => {
    ticks += 1;
    clock.after(100, tick);
  };
  clock.after(100, tick);
  await clock.advance(1_000);
  t.is(ticks, 10);
});

test('work between two timers is done before the second runs', async (t) => {
  const clock = manualClock();
  const order: string[] = [];
  clock.after(10, () => void Promise.resolve().then(() => order.push('work of the first')));
  clock.after(20, () => order.push('second'));
  await clock.advance(20);
  t.deepEqual(order, ['work of the first', 'second']);
});

test('a cancelled timer never runs, and an aborted sleep leaves none behind', async (t) => {
  const clock = manualClock();
  clock.after(10, () => t.fail()).cancel();
  const controller = new AbortController();
  const sleeping = clock.sleep(50, controller.signal);
  t.is(clock.pending(), 1);
  controller.abort(new Error('stop'));
  await t.throwsAsync(sleeping, { message: 'stop' });
  t.is(clock.pending(), 0);
});

testProp(
  'timers run in order of time, those of one time in order of setting',
  [fc.array(fc.nat({ max: 50 }))],
  async (t, delays) => {
    const clock = manualClock();
    const ran: [number, number][] = [];
    for (const [i, ms] of delays.entries()) clock.after(ms, () => ran.push([ms, i]));
    await clock.advance(50);
    t.deepEqual(
      ran,
      delays.map((ms, i): [number, number] => [ms, i]).toSorted((a, b) => a[0] - b[0] || a[1] - b[1]),
    );
  },
);

testProp('the same seed gives the same chance, within its bounds', [fc.integer()], (t, seed) => {
  const [a, b] = [seededRandom(seed), seededRandom(seed)];
  for (let i = 0; i < 20; i += 1) {
    const value = a.next();
    t.is(value, b.next());
    t.true(value >= 0 && value < 1);
  }
  t.regex(a.uuid(), /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-a[\da-f]{3}-[\da-f]{12}$/);
});

test('contexts of tests share nothing', async (t) => {
  const [a, b] = [testContext(), testContext()];
  a.metrics.count('relay_events_parked_total');
  t.regex(await a.metrics.render(), /^relay_events_parked_total 1$/m);
  t.regex(await b.metrics.render(), /^relay_events_parked_total 0$/m);
  a.health.drain();
  t.true(b.health.ready().ok);
});

test('while the event loop is blocked time passes and no timer runs, afterwards those that came due', async (t) => {
  const clock = manualClock(0);
  const seen: number[] = [];
  for (const ms of [10, 30]) clock.after(ms, () => seen.push(clock.monotonic()));
  clock.block(25);
  t.deepEqual([clock.now(), clock.monotonic(), seen.length], [25, 25, 0]);
  await clock.advance(0);
  t.deepEqual(seen, [25]);
  await clock.advance(5);
  t.deepEqual(seen, [25, 30]);
});

test('a block within a move adds to it, and time never goes back', async (t) => {
  const clock = manualClock(0);
  clock.after(10, () => clock.block(100));
  await clock.advance(20);
  t.is(clock.monotonic(), 110);
});

test('moves that overlap add up, and time never goes back', async (t) => {
  const clock = manualClock(0);
  const rung: number[] = [];
  const first = clock.advance(100);
  const second = clock.advance(50);
  clock.after(120, () => rung.push(clock.monotonic()));
  await first;
  t.is(clock.monotonic(), 100);
  await second;
  t.is(clock.monotonic(), 150);
  t.deepEqual(rung, [120]);
});
