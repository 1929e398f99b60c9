import { copyFile, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { lookAt } from './files.ts';
import { fill, found, openWorld, type World } from './test/world.ts';

/** A directory as a kill in the middle of a salvage leaves it: a whole copy beside, ready to take the place of the damaged file. */
const cutOff = async (t: ExecutionContext): Promise<World> => {
  const world = await openWorld(t);
  await world.live({}, ({ bus }) => fill(bus, 50));
  await copyFile(world.dir.paths.bus, `${world.dir.paths.bus}.salvaged`);
  return world;
};

const namesLike = async ({ dir }: World, form: RegExp): Promise<string[]> =>
  (await readdir(dir.path)).filter((name) => form.test(name));

test('cut off after the damaged file was moved away, the salvage is completed at the next start', async (t) => {
  const world = await cutOff(t);
  const { bus: path } = world.dir.paths;
  await rename(path, `${path}.damaged-2026-05-17T083005.250Z`);
  await writeFile(`${path}-wal`, 'journal of the damaged file');
  await world.live({}, async ({ bus, warnings }) => {
    t.regex(warnings.join(), /A salvage of .*bus\.sqlite that was cut off is now complete/);
    t.is((await found(bus)).length, 50);
  });
  const [journal] = await namesLike(world, /damaged-.*-wal$/);
  t.is(await readFile(`${world.dir.path}/${journal}`, 'utf8'), 'journal of the damaged file');
  await world.live({}, ({ warnings }) => t.deepEqual(warnings, []));
});

test('cut off before that, a salvage starts over from the damaged file', async (t) => {
  const world = await cutOff(t);
  const { bus: path } = world.dir.paths;
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0xee, bytes.length - 4_096));
  await writeFile(`${path}.salvaged`, 'a stale copy');
  await writeFile(`${path}.salvaging`, 'half a copy');
  await world.live({ salvageBus: true }, async ({ bus, warnings }) => {
    t.regex(warnings.join(), /was damaged: /);
    t.true((await found(bus)).length > 0);
  });
  t.deepEqual(await namesLike(world, /salvag/), []);
});

test('a copy beside a bus that opens never replaces it, nor a later loss', async (t) => {
  const world = await cutOff(t);
  const { bus: path } = world.dir.paths;
  await world.live({}, async ({ bus, warnings }) => {
    t.regex(warnings.join(), /bus\.sqlite\.salvaged was not needed/);
    await fill(bus, 1);
    t.is((await found(bus)).length, 51);
  });
  t.is(await lookAt(`${path}.salvaged`), undefined);
  t.is((await namesLike(world, /^bus\.sqlite\.salvaged\.damaged-/)).length, 1);
  await rm(path);
  await t.throwsAsync(
    world.live({}, () => undefined),
    { code: 'store_missing' },
  );
});
