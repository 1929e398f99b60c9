import { mkdtempSync, readdirSync, readFileSync, rmSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { isRelayError } from '@ranger-relay/errors';
import { systemClock, systemRandom } from '@ranger-relay/runtime';
import { writeContractSample } from '../bundle/sample/contract-sample.ts';
import { type Lock, type LockOptions, takeLock } from '../run/lock.ts';
import { type Machine, thisMachine } from '../run/machine.ts';
import { testShell } from '../test/shell.ts';
import { openHarness, runTool } from '../test/harness.ts';

interface Found {
  readonly path: string;
  /** Makes the lock so many seconds old. */
  age(seconds: number): void;
  /** Waits for the lock; `onLook` is called instead of each second of waiting. */
  wait(onLook: (looks: number) => void): Promise<Lock>;
  looks(): number;
}

const elsewhere = (holder: string): Machine => ({
  ...thisMachine(),
  mark: { holder, machine: 'elsewhere', started: '' },
});

const quietTimer = { cancel: () => undefined };

/** A folder with a lock of somebody of whom nobody knows whether he lives. */
const found = async (t: ExecutionContext): Promise<Found> => {
  const folder = mkdtempSync(join(tmpdir(), 'sync-tool-lock-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  let looks = 0;
  const options = (sleep: () => void): LockOptions => ({
    folder,
    site: 'site.example',
    machine: elsewhere('host:1'),
    patient: true,
    random: systemRandom,
    clock: {
      ...systemClock,
      after: () => quietTimer,
      sleep: async () => {
        looks += 1;
        sleep();
      },
    },
  });
  await takeLock(options(() => undefined));
  const path = join(folder, readdirSync(folder)[0] ?? '');
  return {
    path,
    age(seconds) {
      const then = Date.now() / 1_000 - seconds;
      utimesSync(path, then, then);
    },
    wait: (onLook) => takeLock({ ...options(() => onLook(looks)), machine: elsewhere('host:2') }),
    looks: () => looks,
  };
};

test('the lock of a run that is gone is taken once it is a minute old by the clock of the disk', async (t) => {
  const { path, age, wait } = await found(t);
  age(59.9);
  const lock = await wait(() => undefined);
  t.regex(readFileSync(path, 'utf8'), /^host:2 /);
  await lock.release();
});

test('a lock that is a minute old is not waited for', async (t) => {
  const { age, wait, looks } = await found(t);
  age(61);
  await (await wait(() => undefined)).release();
  t.is(looks(), 0);
});

test('a run that goes on is heard by its heartbeat, and is not waited for any longer', async (t) => {
  const { age, wait, looks } = await found(t);
  age(30);
  const error = await t.throwsAsync(
    wait((n) => {
      if (n === 3) age(0);
    }),
  );
  t.true(isRelayError(error, 'locked'));
  t.is(looks(), 3);
});

test('a lock that is given back meanwhile is taken at once', async (t) => {
  const { path, age, wait, looks } = await found(t);
  age(30);
  await (await wait(() => unlinkSync(path))).release();
  t.is(looks(), 1);
});

test('a lock that somebody else takes meanwhile is his', async (t) => {
  const { path, age, wait } = await found(t);
  age(30);
  const error = await t.throwsAsync(wait(() => writeFileSync(path, 'host:9 other\n')));
  t.true(isRelayError(error, 'locked'));
  t.regex(error?.message ?? '', /host:9/);
});

test('every command that writes takes --wait-for-lock', async (t) => {
  const here = await openHarness(t, (folder) => writeContractSample(folder));
  const plan = join(here.folder, 'plan.json');
  await here.dry('--plan-out', plan);
  for (const args of [
    ['patrol-datamodel', '--bundle', here.bundle],
    ['apply', '--plan', plan],
    ['resume', here.folder],
    ['undo', here.folder],
  ]) {
    const path = join(here.folder, `.patrol-datamodel-127.0.0.1%3A${here.site.port}.lock`);
    writeFileSync(path, 'gone:1 x\n');
    const shell = testShell();
    const sleep = async (): Promise<void> => unlinkSync(path);
    const call = [...args, ...here.onSite, '--wait-for-lock'];
    t.is((await runTool({ ...shell, clock: { ...shell.clock, sleep } }, call)).code, 0, args.join(' '));
  }
});
