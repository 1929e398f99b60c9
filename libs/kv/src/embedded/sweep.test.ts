import { manualClock } from '@ranger-relay/runtime/testing';
import { openSqlite, type SqlWrite } from '@ranger-relay/sqlite';
import test from 'ava';
import { temporaryKv } from '../testing/temporary-kv.ts';
import { schema } from './statements.ts';
import { startSweeping } from './sweep.ts';

const minute = 60_000;
const rows = (count: number) => Array.from({ length: count }, () => ({ swept: 1 }));

/** Sweeps `expired` pretended entries. */
const pretend = (expired: number) => {
  const clock = manualClock();
  const units: (readonly SqlWrite[])[] = [];
  let left = expired;
  const end = startSweeping(
    {
      async carry(unit) {
        units.push(unit);
        const swept = Math.min(left, unit[0]?.params[0]?.[1] as number);
        left -= swept;
        return [rows(swept)];
      },
    },
    clock,
  );
  return { clock, units, end, left: () => left };
};

test('a run goes on in small units until nothing is left, then waits for the next minute', async (t) => {
  const { clock, units, left } = pretend(2_500);
  await clock.advance(minute - 1);
  t.is(units.length, 0);
  await clock.advance(1);
  t.is(left(), 0);
  t.is(units.length, 3);
  await clock.advance(minute);
  t.is(units.length, 4);
});

test('a run is bounded', async (t) => {
  const { clock, left } = pretend(700_000);
  await clock.advance(minute);
  t.is(left(), 100_000);
  await clock.advance(minute);
  t.is(left(), 0);
});

test('a failing run is tried again after a minute', async (t) => {
  const clock = manualClock();
  let calls = 0;
  const carry = async (): Promise<never> => {
    calls += 1;
    throw new Error('away');
  };
  startSweeping({ carry }, clock);
  await clock.advance(3 * minute);
  t.is(calls, 3);
});

test('an ended sweeper has no timer', async (t) => {
  const { clock, units, end } = pretend(10);
  await end();
  await clock.advance(5 * minute);
  t.is(units.length, 0);
  t.is(clock.pending(), 0);
});

test('expired entries leave the file, live ones stay', async (t) => {
  const clock = manualClock();
  const { kv, path, close } = await temporaryKv({ clock });
  const keys = Array.from({ length: 1_500 }, (_, index) => `short.${index}`);
  await Promise.all(keys.map((key) => kv.state.set(key, 'canary-of-an-entry', { ttlMs: 1_000 })));
  await kv.state.set('long', '1', { ttlMs: 10 * minute });
  await kv.config.set('endless', '1');
  const file = await openSqlite({ path, schema, clock, readOnly: true });
  const stored = async () => (await file.read('SELECT key FROM entries ORDER BY key')).map((row) => row['key']);
  await clock.advance(minute);
  // Each call is answered behind what the sweep has sent so far.
  for (let call = 0; call < 100 && (await stored()).length > 2; call++) t.is(await kv.state.get('long'), '1');
  t.deepEqual(await stored(), ['endless', 'long']);
  await file.close();
  await close();
});
