import test from 'ava';
import { localTime } from './format.ts';

const at = Date.UTC(2026, 0, 31, 7, 20);

test('a moment is told in local time with its distance from UTC', (t) => {
  t.is(localTime(at, 'Africa/Nairobi'), '2026-01-31 10:20 UTC+03:00');
  t.is(localTime(at, 'America/St_Johns'), '2026-01-31 03:50 UTC-03:30');
  t.regex(localTime(at, 'UTC'), /^2026-01-31 07:20 UTC(\+00:00)?$/);
});
