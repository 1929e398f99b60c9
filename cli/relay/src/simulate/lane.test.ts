import test from 'ava';
import { runLane, type Load, type Pace } from './lane.ts';
import { answered, scripted } from './test/scripted.ts';

const load = (body: string): Load => ({ body, events: 2, duplicates: 0, bad: 0, sos: 0 });

const harness = (pace: Pace, takesMs = 0, rest: Load[] = []) => {
  const ingester = scripted([answered(200)], takesMs);
  let made = 0;
  const source = { next: () => load(String((made += 1))), rest: () => rest };
  const running = runLane(source, pace, ingester.parts);
  return { ...ingester, running };
};

test('POSTs go out at the pace, from the first moment to the end of the run', async (t) => {
  const { clock, running, sent } = harness({ everyMs: 100, firstMs: 50, durationMs: 400 });
  await clock.advance(1_000);
  await running;
  t.deepEqual(
    sent.map(({ at }) => at),
    [50, 150, 250, 350],
  );
});

test('one POST is under way at a time, and a slow ingester makes the lane send at once without ever overlapping', async (t) => {
  const { clock, running, sent } = harness({ everyMs: 100, firstMs: 0, durationMs: 1_000 }, 300);
  await clock.advance(5_000);
  await running;
  t.deepEqual(
    sent.map(({ at }) => at),
    [0, 300, 600, 900],
  );
});

test('after a short stop a lane catches up to its pace', async (t) => {
  const ingester = scripted([answered(503, { retryAfterMs: 350 }), answered(200)]);
  let made = 0;
  const source = { next: () => load(String((made += 1))), rest: () => [] };
  const running = runLane(source, { everyMs: 100, firstMs: 0, durationMs: 700 }, ingester.parts);
  await ingester.clock.advance(2_000);
  await running;
  t.deepEqual(
    ingester.sent.map(({ body, at }) => `${body}@${at}`),
    ['1@0', '1@350', '2@350', '3@350', '4@350', '5@400', '6@500', '7@600'],
  );
});

test('what is held back goes out at the end', async (t) => {
  const { clock, running, sent, counting } = harness({ everyMs: 100, firstMs: 0, durationMs: 150 }, 0, [load('held')]);
  await clock.advance(1_000);
  await running;
  t.deepEqual(
    sent.map(({ body }) => body),
    ['1', '2', 'held'],
  );
  t.like(counting.now(), { posts: 3, acknowledgedPosts: 3, acknowledgedEvents: 6 });
});

test('when it is enough no new POST begins', async (t) => {
  const { clock, running, sent, abort } = harness({ everyMs: 100, firstMs: 0, durationMs: 10_000 }, 0, [load('held')]);
  await clock.advance(250);
  abort();
  await running;
  t.is(sent.length, 3);
});
