import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { fillDisk } from './harness/disk.ts';
import { installFor, type Installation } from './harness/installation.ts';
import { run } from './harness/product.ts';
import { envelope, event, post, send, untilNumbers, untilStored } from './harness/traffic.ts';
import { openTrial } from './harness/trial.ts';
import { until } from './harness/until.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';

/** A small disk of its own; mounting one takes root, as a CI machine and a container have. */
const smallDisk = (t: ExecutionContext, size = '16m'): string => {
  const folder = mkdtempSync(join(tmpdir(), 'ranger-relay-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder]);
  t.teardown(() => {
    execFileSync('umount', ['-l', folder]);
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
};

/** An installation of one park whose data is on a small disk, started and with one event stored. */
const installOnSmallDisk = async (t: ExecutionContext) => {
  const disk = smallDisk(t);
  const here = await installFor(t, [park]);
  const dataDir = join(disk, 'data');
  const first = await here.up({ DATA_DIR: dataDir });
  await send(here, park, event(0));
  await untilStored(here, park, 1);
  return { here, dataDir, first, filler: join(disk, 'filler') };
};

const bulky = (n: number): Record<string, unknown> => event(n, { messageCode: 3, freeText: 'x'.repeat(20_000) });

/** Posts until the ingester refuses; the numbers that were acknowledged. */
const postUntilRefused = async (here: Installation, first: number): Promise<{ taken: number[]; refusal: Response }> => {
  const taken: number[] = [];
  for (let n = first; n < first + 2_000; n += 1) {
    const answer = await post(here, park, envelope(bulky(n)));
    if (answer.status !== 200) return { taken, refusal: answer };
    taken.push(n);
  }
  throw new Error('the disk never filled up');
};

test.serial(
  'a full disk is a 503, loses nothing that was acknowledged, and fixes by itself when there is room',
  async (t) => {
    const { here, dataDir, first, filler } = await installOnSmallDisk(t);
    fillDisk(filler);
    const { taken, refusal } = await postUntilRefused(here, 1);
    t.is(refusal.status, 503);
    t.truthy(refusal.headers.get('retry-after'));
    t.is(first.child.exitCode, null);

    const status = () => run(['status', '--exit-code'], { ...here.env, DATA_DIR: dataDir });
    const ready = async () => (await fetch(new URL('/readyz', here.webhookUrl))).status;
    const since = Date.now();
    await until('the ingester is out of service', async () => (await ready()) === 503, 30_000);
    await until(
      'the full disk is still said 70 s after the last request',
      async () => {
        const { code, stdout } = await status();
        t.is(code, 1);
        t.regex(stdout, /^CRITICAL .*ecords cannot be written to source-events/m);
        const lines = stdout.match(/^CRITICAL/gm) ?? [];
        const told = /^CRITICAL +The volume of .* is full: .* follows from it: .*call this park by telephone/m;
        return Date.now() - since > 70_000 && lines.length === 1 && told.test(stdout);
      },
      120_000,
    );
    t.is(await ready(), 503);

    rmSync(filler);
    await until('the ingester finds by itself that it can write', async () => (await ready()) === 200, 30_000);
    t.notRegex((await status()).stdout, /cannot be written to source-events/);
    const refused = /^CRITICAL .*: the last webhook request was answered 503, .* is not here yet/m;
    const isTold = async (): Promise<boolean> => refused.test((await status()).stdout);
    await until('what was refused is a line of its own once the disk is found to have room', isTold, 30_000);
    const isTaken = async (): Promise<boolean> => (await post(here, park, envelope(event(5_000)))).status === 200;
    await until('events are taken again', isTaken, 20_000);
    t.notRegex((await status()).stdout, /is not here yet/);
    await untilNumbers(here, park, [0, ...taken, 5_000]);

    await first.end('SIGKILL');
    fillDisk(filler);
    const { code, stderr } = await run(['up'], { ...here.env, DATA_DIR: dataDir });
    t.is(code, 1);
    t.regex(stderr, /^The volume of .* is full: \d+ MiB are free\nCheck: Free space on it/m);
    rmSync(filler);
    await here.up({ DATA_DIR: dataDir });
    await send(here, park, event(5_001));
    await untilNumbers(here, park, [5_001]);
  },
);

test.serial('what a full disk refused is known after a restart, until the next good request', async (t) => {
  const { here, dataDir, first, filler } = await installOnSmallDisk(t);
  fillDisk(filler);
  t.is((await postUntilRefused(here, 1)).refusal.status, 503);
  // Small ones use up what is left in the files of bus and store.
  const end = Date.now() + 20_000;
  for (let n = 1_000; Date.now() < end; n += 1) await post(here, park, envelope(event(n)));
  const isTold = async (words: RegExp): Promise<boolean> =>
    words.test((await run(['status'], { ...here.env, DATA_DIR: dataDir })).stdout);
  await until('the park is named', () => isTold(/call this park by telephone/), 30_000);
  await first.end('SIGKILL');
  rmSync(filler);
  await here.up({ DATA_DIR: dataDir });
  const refusal = /: the last webhook request was answered 503/;
  await until('the park is named after the restart', () => isTold(refusal), 30_000);
  await send(here, park, event(9_001));
  await until('a good request ends it', async () => !(await isTold(/was answered 503/)), 30_000);
});

test.serial('an SOS that is stored is sent although the disk is full by then', async (t) => {
  const { here, filler } = await installOnSmallDisk(t);
  const outage = await here.platform.fault({ fault: 'status', status: 503, endpoint: 'sensors' });
  const sos = { messageCode: 4, freeText: 'help', timeStamp: Date.now() };
  const numbers = [100, 101, 102];
  for (const n of numbers) await send(here, park, event(n, { ...sos, imei: `3004340300010${n}` }));
  fillDisk(filler);
  await postUntilRefused(here, 1_000);
  await here.platform.repair(outage);
  await untilNumbers(here, park, numbers, 30_000);
  t.is((await post(here, park, envelope(bulky(3_000)))).status, 503, 'the disk is still full');
});

test.serial(
  'a disk that is too small for a trial ends it with a sentence, and one that fills up ends nothing',
  async (t) => {
    const tooSmall = await openTrial(t, { DATA_DIR: join(smallDisk(t, '300k'), 'data') });
    const { code, stderr } = await run(['up'], tooSmall.env);
    t.is(code, 1);
    t.regex(stderr, /^The volume of .* is full: 0 MiB are free\nCheck: Free space/m);
    t.notRegex(stderr, /unexpected failure/);

    const { up, url } = await openTrial(t, { DATA_DIR: join(smallDisk(t, '1500k'), 'data') });
    const started = await up();
    await until('the disk is full', () => /is full/.test(started.errors()), 120_000);
    const ticks = started.errors().length;
    await until('the fleet goes on', () => started.child.exitCode !== null || started.errors().length > ticks, 60_000);
    t.is(started.child.exitCode, null, started.errors());
    t.is((await fetch(`${url}/`)).headers.get('content-type')?.slice(0, 9), 'text/html');
    t.notRegex(started.errors(), /unexpected failure/);
    t.is(await started.end('SIGTERM'), 0);
  },
);
