import { createHash } from 'node:crypto';
import { type Clock, type Random, sleepWith, type Timer } from '@ranger-relay/runtime';
import { seededRandom } from '@ranger-relay/runtime/testing';

/** A task of the simulation. */
interface Step {
  /** Simulated time, ms since the start. */
  readonly at: number;
  /** Order among the steps of one time. */
  readonly order: number;
  task: (() => void) | undefined;
}

const before = (a: Step, b: Step): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Steps in a binary heap, the next one first. */
const createHeap = () => {
  const steps: Step[] = [];
  const at = (index: number): Step => steps[index] as Step;
  const rise = (step: Step): void => {
    let place = steps.length - 1;
    for (let parent = (place - 1) >> 1; place > 0 && before(step, at(parent)); parent = (place - 1) >> 1) {
      steps[place] = at(parent);
      place = parent;
    }
    steps[place] = step;
  };
  const sink = (step: Step): void => {
    let place = 0;
    for (let child = 1; child < steps.length; child = 2 * place + 1) {
      if (child + 1 < steps.length && before(at(child + 1), at(child))) child += 1;
      if (!before(at(child), step)) break;
      steps[place] = at(child);
      place = child;
    }
    steps[place] = step;
  };
  return {
    next: (): Step | undefined => steps[0],
    push(step: Step): void {
      steps.push(step);
      rise(step);
    },
    pop(): void {
      const last = steps.pop();
      if (steps.length > 0 && last) sink(last);
    },
  };
};

/** Who sees a world from outside. */
export interface Observers {
  /** Receives the lines of the history. */
  readonly history?: (line: string) => void;
  /** Receives the log lines of the services. */
  readonly log?: (line: string) => void;
  /** Receives what happens to payloads that contain one of these texts, and the faults meanwhile. */
  readonly story?: (line: string) => void;
  readonly about?: readonly string[];
}

/** Simulated time, chance and history of one thread. */
export interface Simulation {
  /** The world's true clock, and its time at the beginning, ms since 1970. */
  readonly clock: Clock;
  readonly startMs: number;
  /** A source of chance of its own for each name, so that one part does not shift the chance of another. */
  chance(name: string): Random;
  /** Adds a line to the history. */
  note(line: string): void;
  /** Adds a line to the story, if it has no payload or one that the story is about. It is no part of the history. */
  tell(line: string, payload?: string | Uint8Array): void;
  /** Runs until this time, ms since the start, or until `ended` says so. Time moves only when nothing else can run. */
  run(untilMs: number, ended?: () => boolean): Promise<void>;
  /** Number of steps so far, and a hash of the whole history. */
  steps(): number;
  hash(): string;
}

/** Steps without time between them after which something runs in a circle. */
const maxStill = 100_000;

/** Simulated time for people: day, hours, minutes, seconds. */
export const timeOf = (ms: number): string => {
  const days = Math.floor(ms / 86_400_000);
  return `day ${days} ${new Date(ms).toISOString().slice(11, 23)}`;
};

const hashedLength = 16_384;

/** Start of every simulated world. */
const usualStartMs = Date.UTC(2026, 0, 1);

// Taken before the world forbids it: the one call of the event loop that the simulation makes.
const realSetImmediate = setImmediate;
/** Steps in one turn of the event loop. */
const burstSteps = 1_000;

/**
 * Settles all promises that can settle. A turn of the event loop would do so too, but costs more than the step itself: with it, a world is
 * half as fast.
 */
const settle = Reflect.get(process, '_tickCallback') as () => void;

/** One of a list; undefined of an empty one. */
export const pick = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random.next() * list.length)] as T;

const seedOf = (seed: number, name: string): number =>
  createHash('sha256').update(`${seed} ${name}`).digest().readUInt32LE(0);

/**
 * Creates a simulation.
 * @param startMs time of its beginning, ms since 1970
 * @param observers.history receives each line of the history
 * @param observers.story receives what happens to payloads that contain one of the texts `about`
 */
export const createSimulation = (
  seed: number,
  { history: write, story, about = [] }: Observers = {},
  startMs = usualStartMs,
): Simulation => {
  const heap = createHeap();
  const history = createHash('sha256');
  /** Lines that the hash lacks: one long piece costs less than many short ones. */
  let unhashed = '';
  const hashAll = (): void => {
    history.update(unhashed);
    unhashed = '';
  };
  let elapsed = 0;
  let order = 0;
  let steps = 0;
  let still = 0;
  const after = (ms: number, task: () => void): Timer => {
    const step: Step = { at: elapsed + Math.max(0, Number.isFinite(ms) ? ms : 1e15), order: order++, task };
    heap.push(step);
    return { cancel: () => void (step.task = undefined) };
  };
  const clock: Clock = {
    now: () => startMs + Math.floor(elapsed),
    monotonic: () => elapsed,
    after,
    sleep: sleepWith(after),
    turn: () => new Promise((resolve) => void after(0, resolve)),
  };
  /** Runs the next step; false when there is none before that time. */
  const next = (untilMs: number): boolean => {
    let step = heap.next();
    for (; step && !step.task; step = heap.next()) heap.pop();
    if (!step?.task || step.at > untilMs) return false;
    heap.pop();
    still = step.at - elapsed < 0.001 ? still + 1 : 0;
    if (still > maxStill) throw new Error(`time stands still at ${elapsed} ms: ${String(step.task)}`);
    elapsed = step.at;
    steps += 1;
    step.task();
    return true;
  };
  return {
    clock,
    startMs,
    chance: (name) => seededRandom(seedOf(seed, name)),
    note(line) {
      const whole = `${elapsed.toFixed(3)} ${line}\n`;
      unhashed += whole;
      if (unhashed.length > hashedLength) hashAll();
      write?.(whole);
    },
    tell(line, payload) {
      if (!story) return;
      const text = payload === undefined ? undefined : Buffer.from(payload).toString();
      if (text === undefined || about.some((each) => text.includes(each))) story(`${timeOf(elapsed)} ${line}\n`);
    },
    run: (untilMs, ended = () => false) =>
      new Promise((resolve, reject) => {
        const finish = (): void => {
          elapsed = ended() ? elapsed : Math.max(elapsed, untilMs);
          resolve();
        };
        const burst = (): void => {
          try {
            for (let n = 0; n < burstSteps; n += 1) {
              settle();
              if (ended() || !next(untilMs)) return finish();
            }
            realSetImmediate(burst);
          } catch (error) {
            reject(error as Error);
          }
        };
        realSetImmediate(burst);
      }),
    steps: () => steps,
    hash() {
      hashAll();
      return history.copy().digest('hex');
    },
  };
};
