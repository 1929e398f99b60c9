import { parseCrontab } from '@ranger-relay/actions';
import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { dueActions, dueSince } from './due.ts';

const at = (text: string): number => Date.parse(`2026-${text}:00Z`);
const day = 86_400_000;
const due = (crontab: string, mark: number | null, now: number, catchupMs = day) =>
  dueActions([{ actionId: 'pull', crontab: parseCrontab(crontab), source: 'handler' }], mark, now, catchupMs).map(
    (each) => new Date(each.at).toISOString().slice(5, 16),
  );

test('an instant is due once, at its minute or at the first look afterwards', (t) => {
  t.deepEqual(due('*/10 * * * *', at('01-05T12:09'), at('01-05T12:10')), ['01-05T12:10']);
  t.deepEqual(due('*/10 * * * *', at('01-05T12:10'), at('01-05T12:11')), []);
  t.deepEqual(due('*/10 * * * *', at('01-05T12:09') + 59_999, at('01-05T12:10') + 1), ['01-05T12:10']);
  t.deepEqual(due('*/10 * * * *', at('01-05T12:10'), at('01-05T12:19') + 59_999), []);
});

test('after a gap only the latest instant is due, and none that is older than what is made up for', (t) => {
  t.deepEqual(due('*/10 * * * *', at('01-05T03:00'), at('01-05T12:25')), ['01-05T12:20']);
  t.deepEqual(
    due('0 3 * * *', at('01-04T22:00'), at('01-05T07:30')),
    ['01-05T03:00'],
    'the night’s pull of a machine that slept',
  );
  t.deepEqual(due('0 8 * * *', at('01-01T03:00'), at('01-05T07:59')), ['01-04T08:00']);
  t.deepEqual(due('0 8 * * 0', at('01-01T03:00'), at('01-05T07:59')), ['01-04T08:00']);
  t.deepEqual(due('0 8 * * 0', at('01-01T03:00'), at('01-05T08:00')), []);
  t.deepEqual(due('30 11 * * *', at('01-05T03:00'), at('01-05T12:30'), 3_600_000), []);
  t.deepEqual(due('30 11 * * *', at('01-05T03:00'), at('01-05T12:29'), 3_600_000), ['01-05T11:30']);
});

test('when nothing is known of the past it is looked at as far as it is made up for', (t) => {
  t.deepEqual(due('0 * * * *', null, at('01-05T12:25')), ['01-05T12:00']);
  t.deepEqual(due('0 20 * * *', null, at('01-05T12:25')), ['01-04T20:00']);
});

test('a mark of a clock that was ahead counts for nothing, one within the difference of two clocks does', (t) => {
  const now = at('01-05T12:00');
  t.is(dueSince(now + 60_000, now, day), now + 60_000);
  t.is(dueSince(now + 60_001, now, day), now - day);
  t.deepEqual(due('*/10 * * * *', at('01-05T12:30'), at('01-05T12:21')), ['01-05T12:20']);
});

test('offsets are fixed hours: days on which clocks change elsewhere have every instant once', (t) => {
  for (const date of ['03-29', '10-25']) {
    const found: string[] = [];
    const end = at(`${date}T23:00`);
    for (let now = end - 86_400_000; now < end; now += 60_000) found.push(...due('30 1 * * * 1', now - 60_000, now));
    t.deepEqual(found, [`${date}T00:30`]);
  }
});

testProp(
  'looked at every minute, whatever the seconds, each instant is due exactly once',
  [fc.array(fc.integer({ min: 0, max: 59_999 }), { minLength: 30, maxLength: 200 }), fc.integer({ min: 1, max: 59 })],
  (t, seconds, step) => {
    const start = at('01-05T12:00');
    let mark = start - 1;
    const found: string[] = [];
    for (const [minute, late] of seconds.entries()) {
      const now = start + minute * 60_000 + late;
      found.push(...due(`*/${step} * * * *`, mark, now));
      mark = now;
    }
    const expected = seconds
      .map((_, minute) => new Date(start + minute * 60_000))
      .filter((each) => each.getUTCMinutes() % step === 0);
    t.deepEqual(
      found,
      expected.map((each) => each.toISOString().slice(5, 16)),
    );
  },
);
