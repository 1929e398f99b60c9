import { isRelayError } from '@ranger-relay/errors';
import test from 'ava';
import type { Manifest } from '../model.ts';
import { assertTimezone, canonicalZone } from './zone.ts';

const manifest = (name: string, source: 'configured' | 'inferred' = 'configured'): Pick<Manifest, 'timezone'> => ({
  timezone: { name, canonical: canonicalZone(name) ?? '', source },
});

for (const [zone, wanted] of [
  ['Asia/Manila', 'asia/manila'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Kolkata', 'Asia/Calcutta'],
  ['UTC', 'Etc/UTC'],
  ['Europe/Kiev', ' Europe/Kyiv '],
] as const)
  test(`${zone} and "${wanted}" are the same zone`, (t) => {
    t.deepEqual(assertTimezone(manifest(zone, 'inferred'), wanted), []);
  });

for (const [zone, wanted] of [
  ['Asia/Manila', 'Etc/GMT-8'],
  ['Asia/Manila', 'Asia/Singapore'],
  ['UTC', 'Europe/London'],
  ['Asia/Manila', '+08:00'],
  ['America/Los_Angeles', 'PST'],
  ['Asia/Manila', ''],
] as const)
  test(`${zone} and "${wanted}" are not the same zone`, (t) => {
    const error = t.throws(() => assertTimezone(manifest(zone), wanted));
    t.true(isRelayError(error, 'timezone_mismatch'));
    t.regex(error?.message ?? '', new RegExp(`${zone}.*re-export with the environment variable EXT_TIMEZONE set`));
  });

test('a zone that was inferred and nobody named is a warning, a configured one is not', (t) => {
  t.regex(
    assertTimezone(manifest('Asia/Manila', 'inferred')).join(),
    /Asia\/Manila .* inferred .*--timezone .*EXT_TIMEZONE/,
  );
  t.deepEqual(assertTimezone(manifest('Asia/Manila')), []);
});
