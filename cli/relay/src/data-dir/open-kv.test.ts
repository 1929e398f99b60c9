import { readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openWorld, type World } from './test/world.ts';

const used = async (t: ExecutionContext): Promise<World> => {
  const world = await openWorld(t);
  await world.live({}, ({ kv }) => kv.state.set('a', 'one'));
  return world;
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
  ['empty', (path: string) => truncate(path), /kv\.sqlite held nothing any more and starts empty/],
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
