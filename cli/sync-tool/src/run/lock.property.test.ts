import { fc, testProp } from '@fast-check/ava';
import { isRelayError } from '@ranger-relay/errors';
import { systemClock } from '@ranger-relay/runtime';
import { seededRandom } from '@ranger-relay/runtime/testing';
import { claimPath, takeLock } from './lock.ts';
import type { Disk, Machine } from './machine.ts';

const coded = (code: string): Error => Object.assign(new Error(code), { code });

/** Files in memory. Each step of a process waits for a random number of turns, so that the steps of several mix; a process that was killed makes none. */
const machines = (seed: number) => {
  const random = seededRandom(seed);
  const files = new Map<string, string>();
  const ended = new Set<string>();
  const machineOf = (holder: string, stepsToLive: number): Pick<Machine, 'disk' | 'mark' | 'hasEnded'> => {
    let steps = stepsToLive;
    const step = async (): Promise<void> => {
      for (let turns = Math.floor(random.next() * random.next() * 20); turns > 0; turns -= 1) await Promise.resolve();
      steps -= 1;
      if (steps >= 0) return;
      ended.add(holder);
      await new Promise(() => undefined);
    };
    const disk = {
      async open(path: string) {
        await step();
        if (files.has(path)) throw coded('EEXIST');
        // No process is killed before it has written: it would leave an empty file, which only a person may remove.
        files.set(path, '');
        return {
          async writeFile(text: string) {
            if (files.has(path)) files.set(path, text);
          },
          close: async () => undefined,
        };
      },
      async readFile(path: string) {
        await step();
        const content = files.get(path);
        if (content === undefined) throw coded('ENOENT');
        return content;
      },
      async unlink(path: string) {
        await step();
        files.delete(path);
      },
    } as unknown as Disk;
    return { disk, mark: { holder, machine: 'm', started: '1' }, hasEnded: ({ holder: other }) => ended.has(other) };
  };
  return { files, ended, random, machineOf };
};

testProp(
  'whatever the order of the steps of processes that take, remove by force, give back, or are killed, no two hold the lock of one site',
  [
    fc.integer({ min: 0, max: 2 ** 31 }),
    fc.array(fc.record({ force: fc.boolean(), lives: fc.boolean() }), { minLength: 2, maxLength: 8, size: 'max' }),
  ],
  async (t, seed, processes) => {
    const { files, ended, random, machineOf } = machines(seed);
    const first = { holder: 'first', machine: 'm', started: '1', since: '', id: '' };
    const path = '/f/.patrol-datamodel-s.lock';
    files.set(path, JSON.stringify(first));
    // It was killed while it removed the lock of an earlier one, as its own.
    files.set(claimPath(path, JSON.stringify(first)), JSON.stringify(first));
    ended.add('first');
    let holders = 0;
    let maxHolders = 0;
    const use = async (n: number, force: boolean, stepsToLive: number): Promise<void> => {
      const machine = machineOf(`p${n}`, stepsToLive);
      try {
        const lock = await takeLock({ folder: '/f', site: 's', machine, force, clock: systemClock, random });
        holders += 1;
        maxHolders = Math.max(maxHolders, holders);
        for (let turns = 0; turns < 3; turns += 1) await Promise.resolve();
        holders -= 1;
        await lock.release();
      } catch (error) {
        t.true(isRelayError(error, 'locked'));
      }
    };
    const all = processes.map(({ force, lives }, n) =>
      use(n, force, lives ? Infinity : Math.floor(random.next() * 12)),
    );
    await Promise.allSettled(all.filter((_, n) => processes[n]?.lives));
    // By force a lock is taken from one that lives: a person says that nobody works.
    if (!processes.some(({ force }) => force)) t.true(maxHolders <= 1);
    for (let turns = 0; turns < 2_000; turns += 1) await Promise.resolve();
    const machine = machineOf('next', Infinity);
    const last = await takeLock({ folder: '/f', site: 's', machine, force: true, clock: systemClock, random });
    await last.release();
    t.is([...files.keys()].filter((name) => name === path).length, 0);
  },
  { numRuns: 1_000 },
);
