import { manualClock } from '@ranger-relay/runtime/testing';
import test from 'ava';
import { createServerTime } from './server-time.ts';
import { answerWith, scriptedHttp } from './test/scripted-http.ts';

const at = Date.UTC(2026, 0, 1, 12);
const request = { method: 'GET', url: 'https://platform.example/' } as const;

const setUp = () => {
  const clock = manualClock();
  const time = createServerTime(clock);
  const answers: { status: number; date?: string }[] = [];
  const http = time.watch(
    scriptedHttp(() => {
      const { status, date } = answers.shift() ?? { status: 200 };
      return { ...answerWith(status), headers: date === undefined ? {} : { date } };
    }),
  );
  return { clock, time, answers, ask: () => http.request(request) };
};

test('the time of the last good answer goes on with ours, however our wall clock jumps', async (t) => {
  const { clock, time, answers, ask } = setUp();
  t.is(time.now(), null);
  answers.push({ status: 200, date: new Date(at).toUTCString() });
  await ask();
  t.is(time.now(), at);
  clock.jump(-86_400_000);
  await clock.advance(5_000);
  t.is(time.now(), at + 5_000);
});

test('a refusal, and an answer without a date, say nothing', async (t) => {
  const { time, answers, ask } = setUp();
  answers.push(
    { status: 502, date: new Date(at).toUTCString() },
    { status: 404, date: new Date(at).toUTCString() },
    { status: 200 },
    { status: 200, date: 'soon' },
  );
  for (let left = 4; left > 0; left--) await ask();
  t.is(time.now(), null);
});
