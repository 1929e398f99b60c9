import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { systemClock, systemRandom } from '@ranger-relay/runtime';
import { isRelayError } from '@ranger-relay/errors';
import { manualClock } from '@ranger-relay/runtime/testing';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { claimPath, type LockOptions, takeLock } from '../run/lock.ts';
import { type Machine, thisMachine } from '../run/machine.ts';
import { openFront } from '../test/front.ts';
import { writeTestBundle } from '../test/bundle.ts';
import { openHarness, type Harness } from '../test/harness.ts';

const sample = (t: ExecutionContext): Promise<Harness> => openHarness(t, (folder) => writeContractSample(folder));

const elsewhere = (holder: string): Machine => ({
  ...thisMachine(),
  mark: { holder, machine: 'elsewhere', started: '' },
});

const lockOptions = (folder: string, more: Partial<LockOptions> = {}): LockOptions => ({
  folder,
  site: 'site.example',
  machine: elsewhere('host:1'),
  force: false,
  clock: systemClock,
  random: systemRandom,
  ...more,
});

/** A machine on which a process has ended. */
const withEnded = (holder: string): Machine => ({
  ...thisMachine(),
  mark: { ...thisMachine().mark, holder, started: '' },
});

const dead = withEnded('host:4194304');

const lockFile = (folder: string): string =>
  join(folder, readdirSync(folder).find((name) => name.endsWith('.lock')) ?? '');

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
  for (const [holder, free] of [
    [withEnded(`host:${child.pid}`).mark, false],
    [dead.mark, true],
    [{ ...mark, started: '1' }, mark.started !== ''],
    [mark, false],
    [{ ...dead.mark, machine: 'elsewhere' }, false],
  ] as const) {
    t.is(hasEnded(holder), free, JSON.stringify(holder));
    const lock = await takeLock(lockOptions(folder, { machine: { ...machine, mark: holder } }));
    const next = takeLock(lockOptions(folder));
    if (free) await (await next).release();
    else await t.throwsAsync(next);
    await lock.release();
  }
});

test('a killed process that nobody reaps has ended', async (t) => {
  if (thisMachine().mark.started === '') return t.pass('the system does not tell the state of processes');
  // The shell becomes another program, which does not know of the child and never waits for it.
  const parent = spawn('sh', ['-c', 'sleep 0 & echo $!; exec sleep 60'], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.teardown(() => parent.kill('SIGKILL'));
  const [pid] = (await once(parent.stdout, 'data')) as [Buffer];
  const holder = `host:${String(pid).trim()}`;
  while (!/\) Z /.test(readFileSync(`/proc/${String(pid).trim()}/stat`, 'utf8')))
    await new Promise((resolve) => setImmediate(resolve));
  t.true(thisMachine().hasEnded(withEnded(holder).mark));
});

test('a lock of another machine stays until somebody removes it by force; who holds it, and since when, is said', async (t) => {
  const { folder } = await sample(t);
  await takeLock(lockOptions(folder, { clock: manualClock(Date.parse('2026-01-31T14:03:11Z')) }));
  const error = await t.throwsAsync(takeLock(lockOptions(folder)));
  t.true(isRelayError(error, 'locked'));
  t.regex(error?.message ?? '', /host:1, since 2026-01-31T14:03:11/);
  const lock = await takeLock(lockOptions(folder, { machine: elsewhere('host:2'), force: true }));
  t.regex(readFileSync(lockFile(folder), 'utf8'), /"host:2"/);
  await lock.release();
  t.deepEqual(readdirSync(folder), ['export']);
});

test('a lock that was removed by force is not given back by the one who held it', async (t) => {
  const { folder } = await sample(t);
  const first = await takeLock(lockOptions(folder));
  const second = await takeLock(lockOptions(folder, { machine: elsewhere('host:2'), force: true }));
  await first.release();
  t.regex(readFileSync(lockFile(folder), 'utf8'), /"host:2"/);
  await second.release();
});

test('a lock that a process was removing when it ended is taken at the first try', async (t) => {
  const { folder } = await sample(t);
  await takeLock(lockOptions(folder, { machine: dead }));
  const path = lockFile(folder);
  const content = readFileSync(path, 'utf8');
  writeFileSync(claimPath(path, content), content);
  const lock = await takeLock(lockOptions(folder));
  await lock.release();
  t.deepEqual(readdirSync(folder), ['export']);
});

test('what another machine left while it removed a lock, whole or empty, goes by force', async (t) => {
  for (const left of [JSON.stringify(elsewhere('host:9').mark), '']) {
    const { folder } = await sample(t);
    await takeLock(lockOptions(folder));
    const path = lockFile(folder);
    writeFileSync(claimPath(path, readFileSync(path, 'utf8')), left);
    await t.throwsAsync(takeLock(lockOptions(folder)));
    const lock = await takeLock(lockOptions(folder, { machine: elsewhere('host:2'), force: true }));
    await lock.release();
    t.deepEqual(readdirSync(folder), ['export']);
  }
});

test('a lock is given back on a full disk', async (t) => {
  const { folder } = await sample(t);
  const full = { isFull: false };
  const { disk, ...machine } = elsewhere('host:1');
  const open: Machine['disk']['open'] = async (path, flags) => {
    if (full.isFull) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
    return disk.open(path, flags);
  };
  const lock = await takeLock(lockOptions(folder, { machine: { ...machine, disk: { ...disk, open } } }));
  full.isFull = true;
  await lock.release();
  t.deepEqual(readdirSync(folder), ['export']);
});

test('of several that find the lock of one that has ended one gets it, whatever the order of their steps', async (t) => {
  const { folder } = await sample(t);
  for (let round = 0; round < 40; round += 1) {
    await takeLock(lockOptions(folder, { machine: dead }));
    const got = await Promise.allSettled(
      Array.from({ length: 12 }, (_, i) => takeLock(lockOptions(folder, { machine: elsewhere(`h:${i}`) }))),
    );
    t.is(got.filter(({ status }) => status === 'fulfilled').length, 1);
    t.true(got.every((each) => each.status === 'fulfilled' || isRelayError(each.reason, 'locked')));
    for (const each of got) if (each.status === 'fulfilled') await each.value.release();
    t.deepEqual(readdirSync(folder), ['export']);
  }
});

test('every command that writes takes --force-unlock, and none goes on without it', async (t) => {
  const here = await sample(t);
  const plan = join(here.folder, 'plan.json');
  await here.dry('--plan-out', plan);
  for (const args of [
    ['patrol-datamodel', '--bundle', here.bundle],
    ['apply', '--plan', plan],
    ['resume', here.folder],
    ['undo', here.folder],
  ]) {
    const path = join(here.folder, `.patrol-datamodel-127.0.0.1%3A${here.site.port}.lock`);
    writeFileSync(path, 'left by a crash');
    const call = [...args, ...here.onSite];
    if (args[0] !== 'resume') t.is((await here.run(...call)).code, 1, args.join(' '));
    t.is((await here.run(...call, '--force-unlock')).code, 0, args.join(' '));
    rmSync(path, { force: true });
  }
});
