import { parseCrontab } from '@ranger-relay/actions';
import { memoryBus } from '@ranger-relay/bus/testing';
import { RelayError } from '@ranger-relay/errors';
import type { KvSpace } from '@ranger-relay/kv';
import type { RunActionCommand } from '@ranger-relay/contracts';
import type { Clock } from '@ranger-relay/runtime';
import { manualClock, recordingLogger, testContext } from '@ranger-relay/runtime/testing';
import { createEnabledIntegrations } from '../enabled-integrations.ts';
import { startScheduler } from '../scheduler.ts';
import { memorySpace } from '@ranger-relay/kv/testing';

/** A command as it was published. */
export interface Published {
  readonly by: string;
  readonly key: string;
  readonly command: RunActionCommand;
}

/** Start of the tests' time: a full hour. */
export const startMs = Date.UTC(2026, 0, 5, 12);

/** One process of a test that keeps the schedules. */
export interface Process {
  readonly name: string;
  tick(): Promise<void>;
  /** Moves its wall clock alone. */
  jump(ms: number): void;
  now(): number;
  leads(): Promise<boolean>;
  /** Whether it tells that the platform lists none of the integrations that it knows. */
  doubts(): boolean;
  /** Value of a metric without labels. */
  metric(name: string): Promise<number>;
  stop(): Promise<void>;
  /** Ends it as `kill -9` does: nothing of it goes on, nothing is given back. */
  kill(): void;
}

/** Processes that keep the same schedules over one store and one bus; everything in memory. */
export const harness = (
  schedules: Readonly<Record<string, string>>,
  ids: readonly string[] = ['park-a', 'park-b'],
  { catchupMs = 86_400_000, jitterMs = 0 } = {},
) => {
  const slug = 'site_connector';
  const clock = manualClock(startMs);
  const store = memorySpace(clock);
  const platform = { down: false, hung: false, asked: 0, ids };
  const bus = memoryBus(clock);
  const published: Published[] = [];
  const { log, lines } = recordingLogger();

  const list = async (slug: string) => {
    platform.asked += 1;
    if (platform.hung) await new Promise(() => undefined);
    if (platform.down) throw new RelayError('platform_unavailable', { details: { reason: 'test' } });
    return platform.ids.map((id) => ({ id, enabled: true, name: id, base_url: null, type: { value: slug } }));
  };

  const start = (name: string, ofType = slug): Process => {
    const life = { dead: false, offset: 0 };
    const unlessDead = <T>(task: Promise<T>): Promise<T> => (life.dead ? new Promise(() => undefined) : task);
    const own: Clock = {
      ...clock,
      now: () => clock.now() + life.offset,
      after: (ms, task, ref) => clock.after(ms, () => void (life.dead || task()), ref),
    };
    const state = new Proxy(store, {
      get: (space, op: keyof KvSpace) =>
        space[op] && ((...args: unknown[]) => unlessDead(Reflect.apply(space[op], space, args) as Promise<unknown>)),
    });
    const ticks = new Set<() => void>();
    const context = testContext({ clock: own, log });
    const scheduler = startScheduler({
      context,
      slug: ofType,
      owner: name,
      ticker: (onTick) => {
        ticks.add(onTick);
        return { stop: () => void ticks.delete(onTick) };
      },
      schedules: Object.entries(schedules).map(([actionId, text]) => ({
        actionId,
        crontab: parseCrontab(text),
        source: 'handler',
      })),
      roster: createEnabledIntegrations({ list, slug: ofType, clock: own, log, conditions: context.conditions }),
      bus: {
        async publish(topic, records) {
          await unlessDead(Promise.resolve());
          await bus.publish(topic, records);
          for (const { key, value } of records)
            published.push({ by: name, key, command: JSON.parse(String(value)) as RunActionCommand });
        },
      },
      topic: `${ofType}-actions-topic`,
      state,
      catchupMs,
      jitterMs,
    });
    return {
      name,
      async tick() {
        if (!life.dead) for (const onTick of ticks) onTick();
        await clock.advance(0);
        await clock.advance(0);
        await clock.advance(0);
      },
      jump: (ms) => void (life.offset += ms),
      now: () => own.now(),
      metric: async (name) => Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(await context.metrics.render())?.[1]),
      leads: async () => /^relay_scheduler_leader 1$/m.test(await context.metrics.render()),
      doubts: () => context.conditions.find('integrations_unlisted', '') !== undefined,
      async stop() {
        const stopped = scheduler.stop();
        await clock.advance(2_000);
        await stopped;
      },
      kill: () => void (life.dead = true),
    };
  };

  return {
    clock,
    slug,
    store,
    platform,
    bus,
    published,
    lines,
    start,
    /** Starts one and lets it become the leader. */
    async leader(name = 'one', ofType = slug): Promise<Process> {
      const process = start(name, ofType);
      await clock.advance(0);
      await clock.advance(0);
      return process;
    },
    /** Instants of an action that were published for an integration, as HH:MM, in order. */
    times: (actionId: string, id = 'park-a'): string[] =>
      published
        .filter(({ key }) => key === `${id}:${actionId}`)
        .map(({ command }) => String(command.scheduled_at).slice(11, 16)),
    eventIds: (): Set<unknown> => new Set(published.map(({ command }) => command.event_id)),
  };
};
