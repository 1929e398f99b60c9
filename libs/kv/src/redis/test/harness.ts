import { setImmediate as turn } from 'node:timers/promises';
import { createMetrics, metricList } from '@ranger-relay/runtime';
import { manualClock, recordingLogger, seededRandom } from '@ranger-relay/runtime/testing';
import type { ExecutionContext } from 'ava';
import { openRedisKv, type RedisKvOptions } from '../open.ts';
import type { RedisSettings } from '../settings.ts';
import { startFakeRedis, type FakeRedis } from './fake-redis.ts';

/** Turns the event loop until a condition of the other end of a socket holds. */
export const until = async (holds: () => boolean, what = holds.toString()): Promise<void> => {
  const end = performance.now() + 10_000;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`did not come true: ${what}`);
    await turn();
  }
};

/** A store on a server of the test's own, with a clock that only the test moves. */
export const harness = async (
  t: ExecutionContext,
  more: Pick<RedisKvOptions, 'maxWaiting'> & {
    readonly settings?: Partial<RedisSettings>;
    readonly before?: (server: FakeRedis) => void;
  } = {},
) => {
  const { settings, before, ...options } = more;
  const server = await startFakeRedis();
  before?.(server);
  const clock = manualClock();
  const { log, lines } = recordingLogger();
  const metrics = createMetrics(metricList);
  const kv = openRedisKv({
    settings: { host: '127.0.0.1', port: server.port, stateDb: 0, configDb: 1, ...settings },
    clock,
    log,
    metrics,
    random: seededRandom(1),
    ...options,
  });
  t.teardown(async () => {
    const closed = kv.close();
    await clock.advance(2_000);
    await closed;
    await server.end();
    if (server.violations.length > 0) throw new Error(`against the protocol: ${server.violations.join()}`);
  });
  const messages = (...levels: string[]): string[] =>
    lines.filter(({ level }) => levels.includes(String(level))).map((line) => String(line['msg']));
  const roundTrips = async (space: string): Promise<number> =>
    Number(new RegExp(`round_trips_total\\{space="${space}"\\} (\\d+)`).exec(await metrics.render())?.[1] ?? 0);
  const ready = (): Promise<void> => until(() => kv.ready(), 'the store is ready');
  /** Lets time pass in small steps, as connecting needs turns of the real event loop between them. */
  const pass = async (ms: number): Promise<void> => {
    for (let passed = 0; passed < ms; passed += 50) {
      await clock.advance(50);
      for (let n = 0; n < 5; n++) await turn();
    }
  };
  /** Lets time pass until the store works again. */
  const readyAgain = async (): Promise<void> => {
    for (let n = 0; n < 400 && !kv.ready(); n++) await pass(50);
    await ready();
  };
  return { server, clock, kv, lines, messages, roundTrips, ready, readyAgain, pass };
};
