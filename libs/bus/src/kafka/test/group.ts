import type { Clock, Logger, Random } from '@ranger-relay/runtime';
import { startMember, type Member } from '../group/member.ts';
import { type Commits, createCommits } from '../group/offsets.ts';
import { createWork, type WorkingPartition } from '../group/work.ts';
import type { FakeCoordinator, Line } from './coordinator.ts';

/** Waits of the members of a test group, ms. */
export const groupWaits = { sessionMs: 10_000, rebalanceMs: 30_000, heartbeatMs: 1_000, handOverMs: 10_000 };

const workEveryMs = 70;

/** Who works on what; two on one partition are a problem, unless the first is paused and cannot know. */
export class Field {
  readonly partitions: number;
  readonly workers = new Map<number, Worker>();
  readonly problems: string[] = [];

  constructor(partitions: number) {
    this.partitions = partitions;
  }

  enter(partition: number, worker: Worker): void {
    const other = this.workers.get(partition);
    if (other && other !== worker && !other.dead && !other.paused)
      this.problems.push(`${other.name} and ${worker.name} work on ${partition}`);
    if (other === worker) this.problems.push(`${worker.name} works on ${partition} twice`);
    this.workers.set(partition, worker);
  }

  leave(partition: number, worker: Worker): void {
    if (this.workers.get(partition) === worker) this.workers.delete(partition);
  }
}

/** A member with its work and its offsets, whose process can be paused or die. */
export class Worker {
  readonly name: string;
  readonly member: Member;
  dead = false;
  paused = false;
  left = false;
  /** How long a handler goes on when its partition is let go, ms. */
  handlerMs = 0;
  readonly done = new Map<number, bigint>();
  private resume: PromiseWithResolvers<void> | null = null;

  constructor(name: string, field: Field, coordinator: FakeCoordinator, line: Line, parts: Parts) {
    this.name = name;
    const clock = this.clockOf(parts.clock);
    const client = this.gated(coordinator.client(line));
    const { random, log } = parts;
    const waits = { ...groupWaits, sessionMs: parts.sessionMs ?? groupWaits.sessionMs };
    const commits = createCommits(client, 'topic', () => this.member.membership(), clock, log);
    const work = createWork({
      topic: 'topic',
      starts: async (partitions) => {
        const found = await client.committed('topic', partitions);
        return new Map(
          partitions.map((partition) => [
            partition,
            {
              offset: found.get(partition)?.offset ?? 0n,
              topicId: undefined,
              end: 0n,
              maybeSentBelow: 0n,
              done: null,
            },
          ]),
        );
      },
      lost: () => undefined,
      startOne: (partition, { offset }) => this.workOn(partition, offset, field, commits, clock),
      commits,
      handOverMs: 0,
      clock,
      log,
    });
    const partitionsOf = async (): Promise<number> => field.partitions;
    this.member = startMember({
      topic: 'topic',
      coordinator: client,
      work,
      waits,
      keepsWhileAway: parts.keepsWhileAway ?? false,
      partitionsOf,
      clock,
      random,
      log,
    });
  }

  pause(): void {
    this.paused = true;
    this.resume ??= Promise.withResolvers();
  }

  wake(): void {
    this.paused = false;
    this.resume?.resolve();
    this.resume = null;
  }

  die(field: Field): void {
    this.dead = true;
    this.pause();
    for (const [partition, worker] of field.workers) if (worker === this) field.workers.delete(partition);
  }

  /** A paused process runs no timer; what was due runs when it goes on. */
  private clockOf(clock: Clock): Clock {
    const when = (task: () => void): void => void (this.resume ? this.resume.promise.then(() => when(task)) : task());
    return {
      ...clock,
      after: (ms, task) => {
        let over = false;
        const timer = clock.after(ms, () => when(() => (over ? undefined : task())));
        return {
          cancel: () => {
            over = true;
            timer.cancel();
          },
        };
      },
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        while (this.resume) await this.resume.promise;
        signal?.throwIfAborted();
      },
    };
  }

  private gated<T extends object>(client: T): T {
    const pass = async (): Promise<void> => {
      while (this.resume) await this.resume.promise;
    };
    return new Proxy(client, {
      get:
        (target, name) =>
        async (...args: unknown[]) => {
          await pass();
          try {
            return await (target[name as keyof T] as (...args: unknown[]) => unknown)(...args);
          } finally {
            await pass();
          }
        },
    });
  }

  private workOn(
    partition: number,
    offset: bigint,
    field: Field,
    commits: Pick<Commits, 'commit'>,
    clock: Clock,
  ): WorkingPartition {
    field.enter(partition, this);
    let next = offset;
    let over = false;
    const advance = (): void => {
      if (over || this.dead) return;
      next += 1n;
      this.done.set(partition, next);
      commits.commit(partition, { offset: next, announced: next, done: '', topicId: undefined });
    };
    const tick = (): void => {
      advance();
      if (!over && !this.dead) clock.after(workEveryMs, tick);
    };
    clock.after(workEveryMs, tick);
    return {
      notify: () => undefined,
      wake: () => undefined,
      undone: { has: () => false, names: () => [] },
      oldest: () => null,
      lag: async () => 0,
      failingMs: () => 0,
      alive: () => true,
      end: () => undefined,
      stop: async (deadlineMs) => {
        if (deadlineMs > 0 && !over) await clock.sleep(Math.min(deadlineMs, this.handlerMs));
        over = true;
        field.leave(partition, this);
      },
    };
  }
}

interface Parts {
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Logger;
  readonly sessionMs?: number;
  readonly keepsWhileAway?: boolean;
}
