import { type Clock, type Random, sleepWith } from '@ranger-relay/runtime';
import type { Simulation } from './simulation.ts';

/** How one call travels, ms each way; a part that is lost never arrives. */
export interface Fate {
  readonly thereMs: number;
  readonly backMs: number;
  readonly lost?: 'request' | 'response';
  /** The call ends with this error, and has no effect. */
  readonly refusal?: () => Error;
}

/** Connections of a process. */
export type Channel = 'bus' | 'group' | 'store' | 'disk' | `http ${string}`;

/** Decides how a call of a process or simulator travels. */
export type DecideFate = (caller: string, channel: Channel, what: string) => Fate;

/** One simulated operating-system process: it can end or stand still at any await, and nothing of it survives. */
export interface SimulatedProcess {
  readonly name: string;
  readonly clock: Clock;
  readonly random: Random;
  alive(): boolean;
  /** Ends it at once: no timer fires, no call returns. */
  kill(): void;
  /** Ends it at its n-th call from now on, before or after that call has left. */
  killAtCall(n: number): void;
  /** Stops it for a while; then everything that came meanwhile comes at once. */
  freeze(ms: number): void;
  /** Moves its wall clock. */
  jump(ms: number): void;
  /** Replaces the connection of a channel: later calls do not wait for earlier ones. */
  reconnect(channel: Channel): void;
  /** Runs a task in the process: never when it is dead, later when it is frozen. */
  run(task: () => void): void;
  /**
   * Calls something outside of the process. Calls of one channel arrive, and return, in order, except those of HTTP.
   * @param act the effect, in the world
   */
  call<T>(channel: Channel, what: string, act: () => T | Promise<T>): Promise<T>;
}

/** What a process needs of its world. */
export interface ProcessOptions {
  readonly simulation: Simulation;
  readonly name: string;
  readonly fate: DecideFate;
  readonly onKilled?: () => void;
}

const never = <T>(): Promise<T> => new Promise<T>(() => undefined);

/** Starts a process. */
export const createProcess = (options: ProcessOptions): SimulatedProcess => {
  const { simulation, name, fate, onKilled } = options;
  const { clock: world } = simulation;
  const random = simulation.chance(`process ${name}`);
  const chance = simulation.chance(`calls of ${name}`);
  const born = world.monotonic();
  /** Difference of its wall clock to the true time, ms. */
  let skew = 0;
  let dead = false;
  let thawAt = 0;
  let held: (() => void)[] = [];
  let callsLeft = Infinity;
  /** When the last call of each channel arrives, and its response. */
  const lines = new Map<Channel, { there: number; back: number }>();

  const kill = (): void => {
    if (dead) return;
    dead = true;
    held = [];
    simulation.note(`${name} killed`);
    onKilled?.();
  };
  const run = (task: () => void): void => {
    if (dead) return;
    if (thawAt > world.monotonic()) held.push(task);
    else task();
  };
  // As setTimeout: whole milliseconds, and at least one.
  const after: Clock['after'] = (ms, task) =>
    dead ? { cancel: () => undefined } : world.after(Math.max(1, Math.trunc(ms)), () => run(task));
  const lineOf = (channel: Channel) => {
    const line = lines.get(channel) ?? { there: 0, back: 0 };
    if (!channel.startsWith('http')) lines.set(channel, line);
    return line;
  };

  return {
    name,
    random,
    clock: {
      now: () => world.now() + skew,
      monotonic: () => world.monotonic() - born,
      after,
      sleep: sleepWith(after),
      turn: () => new Promise((resolve) => void world.after(0, () => run(resolve))),
    },
    alive: () => !dead,
    kill,
    killAtCall: (n) => void (callsLeft = n),
    freeze(ms) {
      simulation.note(`${name} frozen for ${ms}`);
      thawAt = Math.max(thawAt, world.monotonic() + ms);
      world.after(ms, () => {
        if (thawAt > world.monotonic()) return;
        const tasks = held;
        held = [];
        for (const task of tasks) world.after(0, () => run(task));
      });
    },
    jump: (ms) => void (skew += ms),
    reconnect: (channel) => void lines.delete(channel),
    run,
    call<T>(channel: Channel, what: string, act: () => T | Promise<T>): Promise<T> {
      callsLeft -= 1;
      const last = callsLeft <= 0;
      // Whether the last call of a process still leaves it is chance.
      if (last && !dead && chance.next() < 0.5) kill();
      if (dead) return never();
      const { thereMs, backMs, lost, refusal } = fate(name, channel, what);
      const survives = chance.next() < 0.5;
      const line = lineOf(channel);
      const { promise, resolve, reject } = Promise.withResolvers<T>();
      const arriveAt = (line.there = Math.max(line.there, world.monotonic() + thereMs));
      const answer = (settle: () => void): void => {
        if (lost === 'response') return;
        const at = (line.back = Math.max(line.back, world.monotonic() + backMs));
        world.after(at - world.monotonic(), () => run(settle));
      };
      world.after(arriveAt - world.monotonic(), () => {
        if (lost === 'request' || (dead && !survives)) return;
        simulation.note(`${name} ${channel} ${what}${refusal ? ' refused' : ''}`);
        if (refusal) return answer(() => reject(refusal()));
        void (async () => act())().then(
          (value) => answer(() => resolve(value)),
          (error: unknown) => answer(() => reject(error as Error)),
        );
      });
      if (last) kill();
      return promise;
    },
  };
};
