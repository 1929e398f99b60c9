import { fc, testProp } from '@fast-check/ava';
import test from 'ava';
import { namesOffset, readInstant } from './instant.ts';

const instants: Readonly<Record<string, string>> = {
  '2026-01-31T06:00:00Z': '2026-01-31T06:00:00.000Z',
  '2026-01-31T06:00:00+03:00': '2026-01-31T03:00:00.000Z',
  '2026-01-31T06:00:00-0330': '2026-01-31T09:30:00.000Z',
  '2026-01-31 06:00:00+03': '2026-01-31T03:00:00.000Z',
  '2026-01-31T06:00Z': '2026-01-31T06:00:00.000Z',
  '2026-01-31T06:00:00': '2026-01-31T06:00:00.000Z',
  '2026-01-31': '2026-01-31T00:00:00.000Z',
  '2026-01-31T06:00:00.123456+00:00': '2026-01-31T06:00:00.123Z',
  '2026-12-31T23:59:60Z': '2027-01-01T00:00:00.000Z',
  // The hour that clocks of a place pass over in spring, and the one they pass twice in autumn: the offset alone counts.
  '2026-03-29T01:30:00+00:00': '2026-03-29T01:30:00.000Z',
  '2026-03-29T02:30:00+01:00': '2026-03-29T01:30:00.000Z',
  '2026-10-25T01:30:00+01:00': '2026-10-25T00:30:00.000Z',
  '2026-10-25T01:30:00+00:00': '2026-10-25T01:30:00.000Z',
  // An hour that no clock showed in many places is an instant of UTC all the same.
  '2026-03-29T01:30:00': '2026-03-29T01:30:00.000Z',
};
for (const [text, expected] of Object.entries(instants))
  test(`${text} is ${expected}, whatever the time zone of the machine`, (t) => {
    t.is(new Date(readInstant(text) ?? Number.NaN).toISOString(), expected);
  });

for (const bad of [
  '',
  'soon',
  '2026-02-30T00:00:00Z',
  '2026-13-01',
  '2026-01-01T24:00:00Z',
  '2026-01-01T00:60:00Z',
  '2026-01-01T00:00:00+15:00',
  '2026-01-01T00:00:00 Europe/London',
  '1767225600',
  1_767_225_600,
  null,
  {},
])
  test(`${JSON.stringify(bad)} is no instant`, (t) => t.is(readInstant(bad), undefined));

const two = (n: number): string => String(Math.floor(Math.abs(n))).padStart(2, '0');

testProp(
  'an instant is the same in every offset',
  [fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }), fc.integer({ min: -840, max: 840 })],
  (t, date, offset) => {
    const local = new Date(date.getTime() + offset * 60_000).toISOString().slice(0, -1);
    const text = `${local}${offset < 0 ? '-' : '+'}${two(offset / 60)}:${two(Math.abs(offset) % 60)}`;
    t.is(readInstant(text), date.getTime());
    t.true(namesOffset(text));
    t.false(namesOffset(local));
  },
);
