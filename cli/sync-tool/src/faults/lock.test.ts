import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock, systemRandom } from '@ranger-relay/runtime';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { type LockOptions, takeLock } from '../run/lock.ts';
import { type Machine, thisMachine } from '../run/machine.ts';
import { openFront } from '../test/front.ts';
import { testShell } from '../test/shell.ts';
import { writeTestBundle } from '../test/bundle.ts';
import { openHarness, runTool, type Harness } from '../test/harness.ts';

const sample = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));

const elsewhere = (holder: string): Machine => ({
  ...thisMachine(),
  mark: { holder, machine: 'elsewhere', started: '' },
});

const lockOptions = (folder: string, more: Partial<LockOptions> = {}): LockOptions => ({
  folder,
  site: 'site.example',
  machine: elsewhere('host:1'),
  patient: false,
  clock: systemClock,
  random: systemRandom,
  ...more,
});

const lockFile = (folder: string): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith('.lock')) ?? '');

/** Until the disk has what the heartbeat does. */
const beaten = async (is: () => boolean): Promise<void> => {
  while (!is()) await new Promise((resolve) => setImmediate(resolve));
};

const age = (path: string, seconds: number): void => {
  const then = Date.now() / 1_000 - seconds;
  utimesSync(path, then, then);
};

test('of two runs at once the second is refused before it reads the site; after the first it makes nobody twice', async (t) => {
  const here = await sample(t);
  let second: Promise<Awaited<ReturnType<Harness['sync']>>> | undefined;
  const front = await openFront(t, here.site, async ({ method, path }) => {
    if (method !== 'POST' || path !== 'subjects/' || second) return;
    second = here.sync('--site-endpoint', front, '--output', 'json');
    await second;
  });
  t.is((await here.sync('--site-endpoint', front)).code, 0);
  const refused = await second;
  t.is(refused?.code, 1);
  t.is(refused?.json()['reason'], 'locked');
  here.writes();
  t.is((await here.sync('--site-endpoint', front)).code, 0);
  t.deepEqual(here.writes(), []);
});

test('while a run goes on its record is neither resumed nor undone', async (t) => {
  const here = await sample(t);
  const codes: number[] = [];
  const reasons: unknown[] = [];
  const front = await openFront(t, here.site, async ({ method, path }) => {
    if (method !== 'POST' || path !== 'subjects/' || codes.length > 0) return;
    for (const command of ['resume', 'undo']) {
      const { code, json } = await here.run(
        command,
        here.recordPath(),
        ...here.onSite,
        '--site-endpoint',
        front,
        '--output',
        'json',
      );
      codes.push(code);
      reasons.push(json()['reason']);
    }
  });
  t.is((await here.sync('--site-endpoint', front)).code, 0);
  t.deepEqual(codes, [1, 1]);
  t.deepEqual(reasons, ['locked', 'locked']);
  t.is(here.record().changes.length, 14);
});

test('a dry run is let in beside a run: it takes no lock', async (t) => {
  const here = await sample(t);
  let dry: ReturnType<Harness['dry']> | undefined;
  const front = await openFront(t, here.site, async ({ method }) => {
    if (method === 'POST') await (dry ??= here.dry('--site-endpoint', front));
  });
  t.is((await here.sync('--site-endpoint', front)).code, 0);
  t.is((await dry)?.code, 0);
});

/** A second run, begun when the first one writes its first subject; answers the reason why it ended. */
const whileRunning = async (
  t: ExecutionContext,
  here: Harness,
  second: (...endpoint: string[]) => Promise<Awaited<ReturnType<Harness['sync']>>>,
): Promise<unknown> => {
  let reason: Promise<unknown> | undefined;
  const front = await openFront(t, here.site, async ({ method, path }) => {
    if (method !== 'POST' || path !== 'subjects/' || reason) return;
    reason = second('--site-endpoint', front, '--output', 'json').then(({ json }) => json()['reason']);
    await reason;
  });
  t.is((await here.sync('--site-endpoint', front)).code, 0);
  return reason;
};

test('a run of another area waits its turn: areas share the form of their site', async (t) => {
  const here = await sample(t);
  const other = join(here.folder, 'other', 'export');
  await writeTestBundle(other, { area: { uuid: 'bb'.repeat(16), id: '052', name: 'Other' } });
  t.is(await whileRunning(t, here, (...endpoint) => here.sync('--bundle', other, ...endpoint)), 'locked');
});

test('a run with another output folder waits its turn, and nobody is created twice', async (t) => {
  const here = await sample(t);
  const checklist = join(here.folder, 'elsewhere', 'checklist.md');
  t.is(await whileRunning(t, here, (...endpoint) => here.sync('--checklist', checklist, ...endpoint)), 'locked');
  t.is(here.site.state().subjects.length, 3);
});

test('a run on another site of the same host is not kept out', async (t) => {
  const { folder } = await sample(t);
  const one = await takeLock(lockOptions(folder, { site: 'proxy.example/north' }));
  const other = await takeLock(lockOptions(folder, { site: 'proxy.example/south' }));
  await one.release();
  await other.release();
  t.deepEqual(readdirSync(folder), ['export']);
});

test('the lock of a process of this machine that has ended is free at once; of one that lives it is not', async (t) => {
  const { folder } = await sample(t);
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
  t.teardown(() => child.kill('SIGKILL'));
  const machine = thisMachine();
  const { mark, hasEnded } = machine;
  const alive = { ...mark, holder: `host:${child.pid}`, started: '' };
  const dead = { ...alive, holder: 'host:4194304' };
  for (const [holder, free] of [
    [alive, false],
    [dead, true],
    [{ ...mark, started: '1' }, mark.started !== ''],
    [mark, false],
    [{ ...dead, machine: 'elsewhere' }, false],
  ] as const) {
    t.is(hasEnded(holder), free, JSON.stringify(holder));
    const lock = await takeLock(lockOptions(folder, { machine: { ...machine, mark: holder }, clock: manualClock() }));
    const next = takeLock(lockOptions(folder, { clock: manualClock() }));
    if (free) await (await next).release();
    else await t.throwsAsync(next);
    await lock.release();
  }
});

test('a lock that nobody has refreshed for a minute is taken over; a younger one is not', async (t) => {
  const { folder } = await sample(t);
  await takeLock(lockOptions(folder, { clock: manualClock() }));
  age(lockFile(folder), 50);
  const error = await t.throwsAsync(takeLock(lockOptions(folder)));
  t.true(isRelayError(error, 'locked'));
  t.regex(error?.message ?? '', /host:1/);
  age(lockFile(folder), 61);
  const lock = await takeLock(lockOptions(folder, { machine: elsewhere('host:2') }));
  t.regex(readFileSync(lockFile(folder), 'utf8'), /^host:2 /);
  await lock.release();
});

test('a lock that a process was clearing when it ended is taken over at the first try', async (t) => {
  const { folder } = await sample(t);
  await takeLock(lockOptions(folder, { clock: manualClock() }));
  const path = lockFile(folder);
  writeFileSync(`${path}.clearing`, '');
  for (const each of [path, `${path}.clearing`]) age(each, 100);
  const lock = await takeLock(lockOptions(folder, { clock: { ...systemClock, sleep: async () => undefined } }));
  await lock.release();
  t.deepEqual(readdirSync(folder), ['export']);
});

test('of several that find a stale lock one gets it, whatever the order of their steps', async (t) => {
  const { folder } = await sample(t);
  for (let round = 0; round < 40; round += 1) {
    await takeLock(lockOptions(folder, { clock: manualClock() }));
    age(lockFile(folder), 100);
    const got = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => takeLock(lockOptions(folder, { machine: elsewhere(`h:${i}`) }))),
    );
    t.is(got.filter(({ status }) => status === 'fulfilled').length, 1);
    t.true(got.every((each) => each.status === 'fulfilled' || isRelayError(each.reason, 'locked')));
    for (const each of got) if (each.status === 'fulfilled') await each.value.release();
    t.deepEqual(readdirSync(folder), ['export']);
  }
});

test('the heartbeat keeps a lock fresh; one that was taken away it does not bring back, and its holder hears of it', async (t) => {
  const { folder } = await sample(t);
  const clock = manualClock();
  const lock = await takeLock(lockOptions(folder, { clock }));
  age(lockFile(folder), 100);
  await clock.advance(10_000);
  await beaten(() => Date.now() - statSync(lockFile(folder)).mtimeMs < 50_000);
  await t.throwsAsync(takeLock(lockOptions(folder)), { message: /Another run/ });
  writeFileSync(lockFile(folder), 'host:9 other\n');
  t.false(lock.lost.aborted);
  await clock.advance(10_000);
  await beaten(() => lock.lost.aborted);
  await lock.release();
  t.is(readFileSync(lockFile(folder), 'utf8'), 'host:9 other\n');
});

test('what broke off leaves a lock that the next run takes after a minute', async (t) => {
  const here = await sample(t);
  const lock = join(here.folder, `.patrol-datamodel-127.0.0.1%3A${here.site.port}.lock`);
  writeFileSync(lock, 'gone:1 x\n');
  t.is((await here.sync()).code, 1);
  age(lock, 61);
  t.is((await here.sync()).code, 0);
  t.deepEqual(
    here.files().filter((name) => name.includes('lock')),
    [],
  );
});

test('a run whose lock was taken while it stood still begins no other write, and is resumed later', async (t) => {
  const here = await sample(t);
  const shell = testShell();
  let beat: (() => void) | undefined;
  const standing = {
    ...shell.clock,
    after: (ms: number, task: () => void) => {
      if (ms === 10_000) beat = task;
      return { cancel: () => undefined };
    },
  };
  const front = await openFront(t, here.site, async ({ method, path }) => {
    if (method !== 'POST' || path !== 'choices/' || shell.errors.some((line) => /taken the lock/.test(line))) return;
    writeFileSync(lockFile(here.folder), 'host:9 other\n');
    beat?.();
    await beaten(() => shell.errors.some((line) => /taken the lock/.test(line)));
  });
  const onFront = [...here.onSite, '--site-endpoint', front];
  const { code } = await runTool({ ...shell, clock: standing }, [
    'patrol-datamodel',
    '--bundle',
    here.bundle,
    ...onFront,
  ]);
  t.is(code, 130);
  t.deepEqual(here.site.state().subjects, []);
  age(lockFile(here.folder), 61);
  t.is((await here.run('resume', here.recordPath(), ...onFront)).code, 0);
  t.is(here.site.state().subjects.length, 3);
});
