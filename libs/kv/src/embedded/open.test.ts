import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock, recordingLogger } from '@ranger-relay/runtime/testing';
import { openSqlite, type SqlWrite } from '@ranger-relay/sqlite';
import test, { type ExecutionContext } from 'ava';
import { temporaryKv } from '../testing/temporary-kv.ts';
import type { Rebuilt } from './damaged.ts';
import { openEmbeddedKv, startSweeping } from './open.ts';
import { schema } from './statements.ts';

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
    clock.monotonic,
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
  startSweeping({ carry }, clock, clock.monotonic);
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

test('what a killed process has written lives no longer than its time to live', async (t) => {
  const clock = manualClock();
  const { kv, path, close } = await temporaryKv({ clock });
  await clock.advance(10 * minute);
  await kv.state.set('lease', 'mine', { ttlMs: 15_000 });
  // The first one is still open, as a killed one never closes.
  const next = await openEmbeddedKv({ path, clock, log: recordingLogger().log });
  t.is(await next.state.get('lease'), 'mine');
  await clock.advance(15_000);
  t.is(await next.state.get('lease'), null);
  await next.close();
  await close();
});

const harness = async (t: ExecutionContext) => {
  const directory = await mkdtemp(join(tmpdir(), 'relay-kv-open-'));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const path = join(directory, 'kv.sqlite');
  const rebuilt: Rebuilt[] = [];
  const { log, lines } = recordingLogger();
  const clock = manualClock(Date.UTC(2026, 4, 17, 8, 30, 5, 250));
  const open = () => openEmbeddedKv({ path, clock, log, onRebuilt: (what) => rebuilt.push(what) });
  return { directory, path, rebuilt, lines, open };
};

const asideName = 'kv.sqlite.damaged-2026-05-17T083005.250Z';

test('a missing file is created, which is no rebuilding', async (t) => {
  const { open, rebuilt, lines } = await harness(t);
  const kv = await open();
  t.true(kv.ready());
  t.deepEqual(rebuilt, []);
  t.deepEqual(lines, []);
  await kv.close();
});

test('a file that is no database is put aside untouched, and the store starts empty and says so', async (t) => {
  const { open, directory, path, rebuilt, lines } = await harness(t);
  await writeFile(path, 'this is not a database');
  const kv = await open();
  t.is(rebuilt.length, 1);
  t.is(rebuilt[0]?.aside, join(directory, asideName));
  t.regex(rebuilt[0]?.reason ?? '', /not a database/);
  t.is(await readFile(join(directory, asideName), 'utf8'), 'this is not a database');
  t.true(lines.some((line) => line['level'] === 'warn' && /set aside/.test(String(line['msg']))));
  t.deepEqual(await kv.state.list(''), []);
  await kv.state.set('a', 'one');
  t.is(await kv.state.get('a'), 'one');
  await kv.close();
});

test('a file with overwritten pages is put aside and rebuilt', async (t) => {
  const { open, directory, path, rebuilt } = await harness(t);
  const before = await open();
  await Promise.all(Array.from({ length: 500 }, (_, n) => before.state.set(`key.${n}`, 'x'.repeat(200))));
  await before.close();
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0xab, 4_096));
  const kv = await open();
  t.is(rebuilt.length, 1);
  t.true((await readdir(directory)).includes(asideName));
  t.is(await kv.state.get('key.1'), null);
  await kv.close();
});

test('a file cut in the middle is put aside and rebuilt', async (t) => {
  const { open, path, rebuilt } = await harness(t);
  const before = await open();
  await Promise.all(Array.from({ length: 500 }, (_, n) => before.state.set(`key.${n}`, 'x'.repeat(200))));
  await before.close();
  await truncate(path, 10_000);
  const kv = await open();
  t.is(rebuilt.length, 1);
  t.true(await kv.state.setIfAbsent('key.1', 'new'));
  await kv.close();
});

test('the journal of a damaged file goes with it and is not played into the new one', async (t) => {
  const { open, directory, path } = await harness(t);
  await writeFile(path, 'no database');
  await writeFile(`${path}-wal`, 'journal of the old file');
  const kv = await open();
  t.is(await readFile(join(directory, `${asideName}-wal`), 'utf8'), 'journal of the old file');
  await kv.close();
});

test('a place that cannot hold a file is an error, not an empty store', async (t) => {
  const { directory } = await harness(t);
  const { log } = recordingLogger();
  const path = join(directory, 'missing', 'kv.sqlite');
  const error = await t.throwsAsync(openEmbeddedKv({ path, clock: manualClock(), log }));
  t.true(isRelayError(error, 'data_dir_unusable'));
});

test('more calls than may wait are refused, and the store stays ready', async (t) => {
  const { path } = await harness(t);
  const { log } = recordingLogger();
  const kv = await openEmbeddedKv({ path, clock: manualClock(), log, maxWaiting: 10 });
  const outcomes = await Promise.allSettled(Array.from({ length: 12 }, (_, n) => kv.state.set(`${n}`, '')));
  t.deepEqual(
    outcomes.map(({ status }) => status === 'fulfilled'),
    outcomes.map((_, index) => index < 10),
  );
  t.true(kv.ready());
  await kv.close();
});

test('closing leaves no timer behind', async (t) => {
  const { path } = await harness(t);
  const clock = manualClock();
  const kv = await openEmbeddedKv({ path, clock, log: recordingLogger().log });
  await kv.state.set('a', 'one');
  await kv.close();
  t.is(clock.pending(), 0);
});

test('beside its owner a store is shared, and the owner sees what is written', async (t) => {
  const { open, path } = await harness(t);
  const owner = await open();
  await owner.state.set('a', 'one');
  const clock = manualClock();
  const beside = await openEmbeddedKv({ path, clock, log: recordingLogger().log, beside: true });
  t.is(await beside.state.get('a'), 'one');
  await beside.state.set('b', 'two');
  t.is(await owner.state.get('b'), 'two');
  await beside.close();
  await owner.close();
});

test('beside its owner a damaged or missing file is an error and is left as it is', async (t) => {
  const { directory, path } = await harness(t);
  const open = () => openEmbeddedKv({ path, clock: manualClock(), log: recordingLogger().log, beside: true });
  await t.throwsAsync(open());
  t.deepEqual(await readdir(directory), []);
  await writeFile(path, 'this is not a database');
  t.true(isRelayError(await t.throwsAsync(open()), 'store_damaged'));
  t.deepEqual(await readdir(directory), ['kv.sqlite']);
});
