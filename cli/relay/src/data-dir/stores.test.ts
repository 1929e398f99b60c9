import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { topics } from '@ranger-relay/contracts';
import { isRelayError } from '@ranger-relay/errors';
import { testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { openDataDir } from './open.ts';
import { openStores } from './stores.ts';
import { temporaryFolder } from './test/folder.ts';
import { holdInChild, killNow } from './test/hold.ts';
import { fill, found, openHarness, type Harness } from './test/harness.ts';

const used = async (t: ExecutionContext): Promise<Harness> => {
  const harness = await openHarness(t);
  await harness.live({}, ({ kv }) => kv.state.set('a', 'one'));
  return harness;
};

test('what was stored is there at the next start', async (t) => {
  const { dir, live } = await used(t);
  t.not(dir.marker().kv_since, null);
  await live({}, async ({ kv, warnings }) => {
    t.is(await kv.state.get('a'), 'one');
    t.deepEqual(warnings, []);
  });
});

for (const [what, harm, said] of [
  ['lost', (path: string) => rm(path), /kv\.sqlite was missing and starts empty/],
  ['empty', (path: string) => truncate(path), /kv\.sqlite was emptied and starts empty/],
  ['damaged', (path: string) => writeFile(path, 'no database'), /kv\.sqlite was damaged \(.*\) and starts empty/],
] as const)
  test(`a store that is ${what} is rebuilt, said aloud once, and the bus is untouched`, async (t) => {
    const { dir, live } = await used(t);
    const bus = dir.marker().bus_since;
    await harm(dir.paths.kv);
    await live({}, async ({ kv, warnings }) => {
      t.is(warnings.length, 1);
      t.regex(warnings[0] ?? '', said);
      t.regex(warnings[0] ?? '', /may be sent twice/);
      t.is(await kv.state.get('a'), null);
      t.true(await kv.state.setIfAbsent('a', 'two'));
    });
    t.is(dir.marker().bus_since, bus);
    await live({}, async ({ kv, warnings }) => {
      t.deepEqual(warnings, []);
      t.is(await kv.state.get('a'), 'two');
    });
  });

test('a damaged store is kept aside', async (t) => {
  const { dir, live } = await used(t);
  await writeFile(dir.paths.kv, 'no database');
  await live({}, ({ warnings }) => t.regex(warnings.join(), /the old file is kept as .*kv\.sqlite\.damaged-/));
  const aside = (await readdir(dir.path)).find((name) => name.startsWith('kv.sqlite.damaged-')) as string;
  t.is(await readFile(join(dir.path, aside), 'utf8'), 'no database');
});

test('what a process stored before kill -9 is there for the next one', async (t) => {
  const path = await temporaryFolder(t);
  const context = testContext();
  await killNow(await holdInChild(t, path, 'stores'));
  const dir = await openDataDir(path, context);
  const options = { acceptEmptyBus: false, salvageBus: false, topics: Object.values(topics), context };
  const { bus, kv, warnings } = await openStores(dir, options);
  const values: string[] = [];
  for await (const { value } of bus.read({ topic: 'integration-events' })) values.push(Buffer.from(value).toString());
  t.deepEqual(values, ['published before the kill']);
  t.is(await kv.state.get('k'), 'set before the kill');
  t.deepEqual(warnings, []);
  await Promise.all([bus.close(), kv.close()]);
  await dir.release();
});

test('a store that cannot be opened at all stops the start and leaves the bus closed and whole', async (t) => {
  const { dir, live } = await openHarness(t);
  await live({}, ({ bus }) => fill(bus, 5));
  await rm(dir.paths.kv);
  await mkdir(dir.paths.kv);
  const error = await t.throwsAsync(live({}, () => undefined));
  t.true(isRelayError(error, 'data_dir_unusable'), String(error));
  await rm(dir.paths.kv, { recursive: true });
  await live({}, async ({ bus }) => t.is((await found(bus)).length, 5));
});

test('marker, bus and store all lost from sight are noticed by what is left', async (t) => {
  const path = await temporaryFolder(t);
  const context = testContext();
  const options = { acceptEmptyBus: false, salvageBus: false, topics: Object.values(topics), context };
  const first = await openDataDir(path, context);
  const opened = await openStores(first, options);
  await Promise.all([opened.bus.close(), opened.kv.close()]);
  await first.release();
  await rm(first.paths.bus);
  await rm(`${path}/store.json`);

  const second = await openDataDir(path, context);
  const error = await t.throwsAsync(openStores(second, options), { message: /bus\.sqlite is missing/ });
  t.true(isRelayError(error, 'store_missing'));
  await second.release();
});

test('warnings of the directory come with those of the stores', async (t) => {
  const path = await temporaryFolder(t);
  const context = testContext();
  await writeFile(`${path}/store.json`, 'unreadable');
  const dir = await openDataDir(path, context);
  const options = { acceptEmptyBus: true, salvageBus: false, topics: Object.values(topics), context };
  const { bus, kv, warnings } = await openStores(dir, options);
  t.teardown(async () => {
    await Promise.all([bus.close(), kv.close()]);
    await dir.release();
  });
  t.regex(warnings[0] ?? '', /store\.json was unreadable/);
  t.regex(warnings[1] ?? '', /bus\.sqlite was lost/);
  t.regex(warnings[2] ?? '', /kv\.sqlite was missing/);
});
