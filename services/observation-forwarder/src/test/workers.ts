import type { KvSpace } from '@ranger-relay/kv';
import { memorySpace } from '@ranger-relay/kv/testing';
import type { Clock } from '@ranger-relay/runtime';
import { manualClock } from '@ranger-relay/runtime/testing';
import { createDedup } from '../dedup/dedup.ts';
import { event } from './events.ts';

/** What happens next: worker `who` makes its next call, all time passes, one worker dies, stands still or goes on. */
export interface Turn {
  readonly act: 'call' | 'pass' | 'kill' | 'freeze' | 'thaw';
  readonly who: number;
}

/** Everything the platform took, and whether a worker died between the platform's answer and the mark. */
export interface Story {
  readonly observations: number;
  readonly messages: number;
  readonly excused: boolean;
  readonly mark: string | null;
}

const passMs = 4_000;
const settlePasses = async (): Promise<void> => {
  for (let n = 0; n < 3; n += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A worker whose calls of the store go out one by one, when the schedule says so. */
const createWorker = (state: KvSpace, clock: Clock, name: string) => {
  const waiting: (() => void)[] = [];
  let frozen = false;
  let dead = false;
  /** Between the platform's answer and the mark. */
  let answered = false;
  const late: (() => void)[] = [];

  const gated = new Proxy(state, {
    get:
      (target, op: keyof KvSpace) =>
      async (...args: never[]) => {
        await new Promise<void>((resolve) => waiting.push(resolve));
        return (target[op] as (...all: never[]) => Promise<unknown>)(...args);
      },
  });
  /** Timers of a process that stands still run when it goes on. */
  const ownClock: Clock = {
    ...clock,
    after: (ms, task) =>
      clock.after(ms, () => {
        if (dead) return;
        if (frozen) late.push(task);
        else task();
      }),
  };
  return {
    name,
    state: gated,
    clock: ownClock,
    inFlight: () => answered,
    /** Something else that takes time, until the schedule goes on with this worker. */
    pause: () => new Promise<void>((resolve) => waiting.push(resolve)),
    during: async <T>(work: () => Promise<T>): Promise<T> => {
      answered = true;
      const result = await work();
      answered = false;
      return result;
    },
    call: () => {
      if (!dead && !frozen) waiting.shift()?.();
    },
    kill: () => (dead = true),
    freeze: () => (frozen = true),
    thaw: () => {
      frozen = false;
      for (const task of late.splice(0)) task();
    },
  };
};

type Worker = ReturnType<typeof createWorker>;

/** Two workers that both have one event with a position and a text, under a schedule; then a third, in peace. */
export const runWorkers = async (turns: readonly Turn[]): Promise<Story> => {
  const clock = manualClock();
  const memory = memorySpace(clock);
  const one = event(1, { text: 'a' });
  const story = { observations: 0, messages: 0, excused: false };

  const attempt = async (worker: Worker, dedup: ReturnType<typeof createDedup>): Promise<boolean> => {
    const claims = await dedup.claim(worker.name, [one]);
    const [found] = claims.found;
    if (found === 'busy' || found === 'done') return found === 'done';
    for (const part of found === 'message' ? (['messages'] as const) : (['observations', 'messages'] as const)) {
      await worker.pause();
      if (!(await claims.stillOurs([one]))) {
        await claims.release();
        return false;
      }
      story[part] += 1;
      await worker.during(() => claims.mark(one, part === 'messages' ? 'done' : 'obs'));
    }
    await claims.release();
    return true;
  };

  const live = async (worker: Worker): Promise<void> => {
    const dedup = createDedup(worker.state, worker.clock);
    while (!(await attempt(worker, dedup))) await worker.clock.sleep(1_000);
  };

  let started = 0;
  const start = (): Worker => {
    const worker = createWorker(memory, clock, `worker-${(started += 1)}`);
    void live(worker);
    return worker;
  };

  const workers = [start(), start()];
  for (const { act, who } of turns) {
    const worker = workers[who] as Worker;
    if (act === 'pass') await clock.advance(passMs);
    else if (act === 'kill') {
      // What a standing process has not marked is taken for the crash's exception as well.
      story.excused ||= worker.inFlight();
      worker.kill();
      workers[who] = start();
    } else worker[act]();
    await settlePasses();
    // A mark that waits while its lease runs out is what a crash before it would be.
    if (act === 'pass') story.excused ||= workers.some((one) => one.inFlight());
  }
  for (let n = 0; n < 200; n += 1) {
    for (const worker of workers) {
      worker.thaw();
      worker.call();
    }
    await settlePasses();
    if (n % 10 === 9) await clock.advance(passMs);
  }
  return { ...story, mark: await memory.get(`event.${one.integration_id}.${one.event_id}`) };
};
