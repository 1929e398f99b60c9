import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { testContext } from '@ranger-relay/runtime/testing';
import test, { type ExecutionContext } from 'ava';
import { openDataDir } from './open.ts';
import { checkStoredEvents, claimDirectory, simulatedPlatformFile, type StoredEvents } from './platform-kind.ts';
import { temporaryFolder } from './test/folder.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';
const trial = '5e0c3c5e-0000-4000-8000-000000000001';

const openDir = async (t: ExecutionContext, folder: string) => {
  const dir = await openDataDir(folder, testContext());
  t.teardown(() => dir.release());
  return dir;
};

const events = (integrations: readonly string[], shared = false): StoredEvents => ({
  integrations: async () => integrations,
  simulated: [trial],
  shared,
});

/** A directory whose marker was lost and made anew from its files. */
const used = async (t: ExecutionContext, simulators: boolean) => {
  const folder = await temporaryFolder(t);
  const dir = await openDir(t, folder);
  await dir.record({ bus_since: '2026-01-31T08:00:00.000Z' });
  if (simulators) await writeFile(join(folder, simulatedPlatformFile), '');
  return dir;
};

test('a directory remembers what it was made for, and refuses the other with what to do', async (t) => {
  const folder = await temporaryFolder(t);
  const first = await openDir(t, folder);
  await claimDirectory(first, 'real');
  await checkStoredEvents(first, 'real', events([]));
  await first.release();

  const dir = await openDir(t, folder);
  await claimDirectory(dir, 'real');
  await t.throwsAsync(claimDirectory(dir, 'simulated'), {
    message: /belongs to a real platform.*set them as before, or choose another DATA_DIR/,
  });
});

test('a directory of the simulators is refused to a real platform', async (t) => {
  const dir = await openDir(t, await temporaryFolder(t));
  await claimDirectory(dir, 'simulated');
  await t.throwsAsync(claimDirectory(dir, 'real'), { message: /choose another DATA_DIR for the real platform/ });
});

test('simulators never start on events of a real platform in a directory whose marker was lost', async (t) => {
  for (const simulators of [false, true]) {
    const dir = await used(t, simulators);
    await claimDirectory(dir, 'simulated');
    await t.throwsAsync(checkStoredEvents(dir, 'simulated', events([trial, park])), {
      message: /belongs to a real platform/,
    });
    t.is(dir.marker().platform, null);
  }
  const empty = await used(t, false);
  await t.throwsAsync(checkStoredEvents(empty, 'simulated', events([])), { message: /belongs to a real platform/ });
});

test('a real platform goes on in a directory whose marker was lost, also where the simulators once ran', async (t) => {
  for (const simulators of [false, true]) {
    const dir = await used(t, simulators);
    await claimDirectory(dir, 'real');
    await checkStoredEvents(dir, 'real', events([park, trial]));
    t.is(dir.marker().platform, 'real');
  }
});

test('a trial whose marker was lost goes on, and is refused to a real platform', async (t) => {
  const dir = await used(t, true);
  await t.throwsAsync(checkStoredEvents(dir, 'real', events([trial])), { message: /simulated platform/ });
  await checkStoredEvents(dir, 'simulated', events([trial]));
  t.is(dir.marker().platform, 'simulated');
});

test('simulators never start where a shared bus or store has events of a real platform', async (t) => {
  const dir = await openDir(t, await temporaryFolder(t));
  await claimDirectory(dir, 'simulated');
  await checkStoredEvents(dir, 'simulated', events([trial], true));
  await t.throwsAsync(checkStoredEvents(dir, 'simulated', events([trial, park], true)), {
    message: /bus and store hold events of a real platform/,
  });
});
