import { copyFile, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { type ErrorCode, isRelayError } from '@ranger-relay/errors';
import test, { type ExecutionContext } from 'ava';
import { statOf } from './files.ts';
import { type Allowed, fill, found, openHarness, type Harness } from './test/harness.ts';

/** A directory as a kill in the middle of a salvage leaves it: a whole copy beside, ready to take the place of the damaged file. */
const cutOff = async (t: ExecutionContext): Promise<Harness> => {
  const harness = await openHarness(t);
  await harness.live({}, ({ bus }) => fill(bus, 50));
  await copyFile(harness.dir.paths.bus, `${harness.dir.paths.bus}.salvaged`);
  return harness;
};

const namesLike = async ({ dir }: Harness, form: RegExp): Promise<string[]> =>
  (await readdir(dir.path)).filter((name) => form.test(name));

test('cut off after the damaged file was moved away, the salvage is completed at the next start', async (t) => {
  const harness = await cutOff(t);
  const { bus: path } = harness.dir.paths;
  await rename(path, `${path}.damaged-2026-05-17T083005.250Z`);
  await writeFile(`${path}-wal`, 'journal of the damaged file');
  await harness.live({}, async ({ bus, warnings }) => {
    t.regex(warnings.join(), /An interrupted salvage of .*bus\.sqlite is now complete/);
    t.is((await found(bus)).length, 50);
  });
  const [journal] = await namesLike(harness, /damaged-.*-wal$/);
  t.is(await readFile(`${harness.dir.path}/${journal}`, 'utf8'), 'journal of the damaged file');
  await harness.live({}, ({ warnings }) => t.deepEqual(warnings, []));
});

test('cut off before that, a salvage starts over from the damaged file', async (t) => {
  const harness = await cutOff(t);
  const { bus: path } = harness.dir.paths;
  const bytes = await readFile(path);
  await writeFile(path, bytes.fill(0xee, bytes.length - 4_096));
  await writeFile(`${path}.salvaged`, 'a stale copy');
  await writeFile(`${path}.salvaging`, 'half a copy');
  await harness.live({ salvageBus: true }, async ({ bus, warnings }) => {
    t.regex(warnings.join(), /was damaged: /);
    t.true((await found(bus)).length > 0);
  });
  t.deepEqual(await namesLike(harness, /salvag/), []);
});

test('a copy beside a bus that opens never replaces it, nor a later loss', async (t) => {
  const harness = await cutOff(t);
  const { bus: path } = harness.dir.paths;
  await harness.live({}, async ({ bus, warnings }) => {
    t.regex(warnings.join(), /bus\.sqlite\.salvaged was not needed/);
    await fill(bus, 1);
    t.is((await found(bus)).length, 51);
  });
  t.is(await statOf(`${path}.salvaged`), undefined);
  t.is((await namesLike(harness, /^bus\.sqlite\.salvaged\.damaged-/)).length, 1);
  await rm(path);
  await t.throwsAsync(
    harness.live({}, () => undefined),
    { code: 'store_missing' },
  );
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

const refused = async (t: ExecutionContext, { live }: Harness, allowed: Allowed, code: ErrorCode, message: RegExp) => {
  const error = await t.throwsAsync(
    live(allowed, () => undefined),
    { message },
  );
  t.true(isRelayError(error, code), String(error));
};

/** A directory whose bus holds 400 records. */
const used = async (t: ExecutionContext): Promise<Harness> => {
  const harness = await openHarness(t);
  await harness.live({}, ({ bus }) => fill(bus, 400));
  return harness;
};

/** Overwrites pages in the middle of the file. */
const damage = async (path: string): Promise<void> => {
  const bytes = await readFile(path);
  const page = 4_096;
  const middle = Math.floor(bytes.length / page / 2) * page;
  await writeFile(path, bytes.fill(0xee, middle, middle + 3 * page));
};

const longAgo = '2026-02-03T04:05:06.000Z';

const asideOf = async ({ dir }: Harness): Promise<string | undefined> =>
  (await readdir(dir.path)).find((name) => /^bus\.sqlite\.damaged-[\dT.-]+Z$/.test(name));

test('a first start makes the bus, says nothing, and remembers that there is one', async (t) => {
  const { dir, live } = await openHarness(t);
  t.is(dir.marker().bus_since, null);
  await live({}, ({ warnings }) => t.deepEqual(warnings, []));
  t.regex(dir.marker().bus_since ?? '', /^\d{4}-/);
});

test('what was published is there at the next start', async (t) => {
  const { dir, live } = await used(t);
  const since = dir.marker().bus_since;
  await live({}, async ({ bus, warnings }) => {
    t.deepEqual(warnings, []);
    t.deepEqual(await found(bus), numbers(400));
  });
  t.is(dir.marker().bus_since, since);
});

test('a crash between making the file and remembering it loses nothing', async (t) => {
  const { dir, live } = await used(t);
  await dir.record({ bus_since: null });
  await live({}, async ({ bus }) => t.is((await found(bus)).length, 400));
  t.not(dir.marker().bus_since, null);
});

test('a lost bus stops the start, naming file, time and remedy, and nothing is created', async (t) => {
  const harness = await used(t);
  await rm(harness.dir.paths.bus);
  const since = harness.dir.marker().bus_since as string;
  await refused(t, harness, {}, 'store_missing', new RegExp(`bus\\.sqlite is missing .*since ${since}`));
  await refused(t, harness, {}, 'store_missing', /restore it from a backup.*ranger-relay up --accept-empty-bus/);
  await refused(t, harness, { salvageBus: true }, 'store_missing', /accept-empty-bus/);
  t.is(await statOf(harness.dir.paths.bus), undefined);
});

test('the loss of a bus can be accepted, aloud, and only for this once', async (t) => {
  const harness = await used(t);
  await rm(harness.dir.paths.bus);
  await harness.dir.record({ bus_since: longAgo });
  await harness.live({ acceptEmptyBus: true }, async ({ bus, warnings }) => {
    t.is(warnings.length, 1);
    t.regex(warnings.join(), /bus\.sqlite was lost and starts empty/);
    t.deepEqual(await found(bus), []);
    await fill(bus, 3);
  });
  t.not(harness.dir.marker().bus_since, longAgo, 'the new bus begins now');
  await harness.live({ acceptEmptyBus: true }, async ({ bus, warnings }) => {
    t.deepEqual(warnings, []);
    t.deepEqual(await found(bus), [0, 1, 2], 'the option takes nothing away from a bus that is there');
  });
  await rm(harness.dir.paths.bus);
  await refused(t, harness, {}, 'store_missing', /is missing/);
});

test('the journal of a lost bus is kept aside', async (t) => {
  const harness = await used(t);
  await rm(harness.dir.paths.bus);
  await writeFile(`${harness.dir.paths.bus}-wal`, 'records of the lost bus');
  await harness.live({ acceptEmptyBus: true }, () => undefined);
  const kept = (await readdir(harness.dir.path)).find((name) => /^bus\.sqlite\.damaged-.*-wal$/.test(name));
  t.is(await readFile(`${harness.dir.path}/${kept}`, 'utf8'), 'records of the lost bus');
});

test('a bus of no bytes is damage, not a first start', async (t) => {
  const harness = await used(t);
  await truncate(harness.dir.paths.bus);
  await refused(t, harness, {}, 'store_damaged', /is damaged \(it is empty\); .*--accept-empty-bus/);
  t.is((await statOf(harness.dir.paths.bus))?.size, 0);
  await harness.live({ acceptEmptyBus: true }, ({ warnings }) => t.regex(warnings.join(), /was lost and starts empty/));
});

test('a damaged bus stops the start with its remedy and stays untouched', async (t) => {
  const harness = await used(t);
  await damage(harness.dir.paths.bus);
  const before = await readFile(harness.dir.paths.bus);
  for (const allowed of [{}, { acceptEmptyBus: true }])
    await refused(t, harness, allowed, 'store_damaged', /restore it from a backup.*ranger-relay up --salvage-bus/);
  t.deepEqual(await readFile(harness.dir.paths.bus), before);
});

test('a damaged bus can be salvaged: what is readable goes on, the old file is kept', async (t) => {
  const harness = await used(t);
  await damage(harness.dir.paths.bus);
  const before = await readFile(harness.dir.paths.bus);
  const kept = await harness.live({ salvageBus: true }, async ({ bus, warnings }) => {
    t.is(warnings.length, 1);
    const there = await found(bus);
    t.regex(warnings[0] ?? '', new RegExp(`was damaged: (all )?${there.length} records`));
    t.true(there.length > 300 && new Set(there).size === there.length);
    await fill(bus, 1);
    return there;
  });
  t.deepEqual(await readFile(`${harness.dir.path}/${await asideOf(harness)}`), before);
  await harness.live({}, async ({ bus, warnings }) => {
    t.deepEqual(warnings, []);
    t.is((await found(bus)).length, kept.length + 1);
  });
});

test('a bus of which nothing can be read stops the salvage too, until its loss is accepted', async (t) => {
  const harness = await used(t);
  await writeFile(harness.dir.paths.bus, 'x'.repeat(100_000));
  await refused(t, harness, {}, 'store_damaged', /--salvage-bus`?$/);
  await refused(
    t,
    harness,
    { salvageBus: true },
    'store_damaged',
    /nothing of it is readable: .*--salvage-bus --accept-empty-bus/,
  );
  t.is((await statOf(harness.dir.paths.bus))?.size, 100_000);
  await harness.dir.record({ bus_since: longAgo });
  await harness.live({ salvageBus: true, acceptEmptyBus: true }, async ({ bus, warnings }) => {
    t.regex(warnings.join(), /unreadable; it is kept as .*damaged-.* starts empty/);
    t.deepEqual(await found(bus), []);
  });
  t.not(harness.dir.marker().bus_since, longAgo, 'the new bus begins now');
  t.is((await statOf(`${harness.dir.path}/${await asideOf(harness)}`))?.size, 100_000);
});

test('the options change nothing about a bus that is whole', async (t) => {
  const harness = await used(t);
  await harness.live({ salvageBus: true, acceptEmptyBus: true }, async ({ bus, warnings }) => {
    t.deepEqual(warnings, []);
    t.is((await found(bus)).length, 400);
  });
});
