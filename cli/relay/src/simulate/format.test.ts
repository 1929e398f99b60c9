import { createPaint } from '@ranger-relay/terminal';
import test from 'ava';
import { progressBar, progressLine, summaryLines } from './summary.ts';
import { type Counting, createCounting } from './tally.ts';
import { answered, broken } from './test/scripted.ts';

const tallyOf = (count: (counting: Counting) => void) => {
  const counting = createCounting();
  count(counting);
  return counting.now();
};

const some = tallyOf((counting) => {
  for (let n = 0; n < 4; n += 1) counting.made({ events: 300, duplicates: 2, bad: 1, sos: 1 });
  for (let n = 0; n < 3; n += 1) {
    counting.answered(answered(200, { body: { total_observations: 290, total_messages: 10 } }), 5);
    counting.acknowledged(300);
  }
  counting.answered(broken, 1_500);
  counting.retried();
});

test('the summary tells what was sent, stored, answered and how fast', (t) => {
  t.deepEqual(summaryLines(some, 3_000, createPaint(false)), [
    'Sent for 3 s, 300 events/s',
    '  events   900 of 1 200 acknowledged (8 duplicates, 4 bad, 4 SOS among them)',
    '  stored   870 observations, 30 messages; 0 rejected',
    '  POSTs    3 of 4 acknowledged, 1 retry',
    '  latency  p50 5.0 ms, p99 1 500 ms, max 1 500 ms',
    '  answers  200         3  OK',
    '  answers  ECONNRESET  1  no answer',
  ]);
});

test('a run without anything special tells nothing special', (t) => {
  const lines = summaryLines(
    tallyOf((counting) => counting.made({ events: 1, duplicates: 0, bad: 0, sos: 0 })),
    0,
    createPaint(false),
  );
  t.is(lines[1], '  events   0 of 1 acknowledged');
  t.is(lines[0], 'Sent for 0 s, 0 events/s');
});

test('the bar grows with time and fits the terminal', (t) => {
  for (const columns of [40, 80, 200])
    for (const elapsedMs of [0, 500, 1_000, 5_000]) {
      const bar = progressBar({ elapsedMs, durationMs: 1_000, tally: some }, columns);
      t.true([...bar].length < columns, `${columns} ${bar}`);
      t.is(bar.includes('░'), elapsedMs < 1_000);
    }
});

test('a plain line tells time, events, rate and what is open', (t) => {
  t.is(
    progressLine({ elapsedMs: 3_000, durationMs: 9_000, tally: some }),
    '3 s: 900 events acknowledged, 300/s, 1 POST open',
  );
});
