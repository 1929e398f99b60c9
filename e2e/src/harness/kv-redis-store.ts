import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { KeyValue } from '@ranger-relay/kv';
import { openRedisKv, redisSettings, type RedisKvOptions } from '@ranger-relay/kv/redis';
import type { KvUnderTest } from '@ranger-relay/kv/testing';
import { createLogger, createMetrics, kvEnv, metricList, parseEnv, systemClock } from '@ranger-relay/runtime';
import type { RedisServer } from './redis.ts';
import { until } from './until.ts';

const writer = fileURLToPath(new URL('./kv-redis-writer.ts', import.meta.url));

/** A store whose log and metrics can be read. */
export interface OpenedStore {
  readonly kv: KeyValue;
  /** Lines of the log of at least this level. */
  lines(...levels: readonly string[]): readonly string[];
  /** The whole log as text. */
  printed(): string;
  /** Round trips of a space so far. */
  roundTrips(space: 'state' | 'config'): Promise<number>;
}

/** Opens the store that the variables name. */
export const openStore = (
  env: Readonly<Record<string, string>>,
  more: Pick<RedisKvOptions, 'deadlineMs' | 'maxWaiting'> = {},
): OpenedStore => {
  const printed: string[] = [];
  const metrics = createMetrics(metricList);
  const log = createLogger({ service: 'test', level: 'debug', write: (line) => printed.push(line) });
  const settings = redisSettings(parseEnv(kvEnv, env));
  return {
    kv: openRedisKv({ settings, clock: systemClock, log, metrics, ...more }),
    lines: (...levels) =>
      printed
        .map((line) => JSON.parse(line) as { level: string; msg: string; reason?: string })
        .filter(({ level }) => levels.includes(level))
        .map(({ msg, reason }) => (reason === undefined ? msg : `${msg}: ${reason}`)),
    printed: () => printed.join(''),
    async roundTrips(space) {
      const found = new RegExp(`^relay_kv_round_trips_total\\{space="${space}"\\} (\\d+)$`, 'm');
      return Number(found.exec(await metrics.render())?.[1] ?? 0);
    },
  };
};

/** Waits until the store works. */
export const untilReady = (kv: KeyValue, timeoutMs = 10_000): Promise<void> =>
  until('the store is ready', () => kv.ready(), timeoutMs);

/** The contract's store on a server that several tests use one after the other. */
export const storeUnderTest = async (server: RedisServer): Promise<KvUnderTest> => {
  await server.ask('FLUSHALL');
  const opened: KeyValue[] = [];
  const another = async (): Promise<KeyValue> => {
    const { kv } = openStore(server.env);
    opened.push(kv);
    await untilReady(kv);
    return kv;
  };
  const kv = await another();
  return {
    kv,
    // The server's clock decides about expiry, and it counts whole milliseconds.
    advance: (ms) => systemClock.sleep(ms + 5),
    second: another,
    async reopen() {
      await kv.close();
      return another();
    },
    async stall() {
      server.pause();
      return async () => {
        server.resume();
        await untilReady(kv);
      };
    },
    writer: async () =>
      spawn(process.execPath, ['--conditions=@ranger-relay/source', writer], {
        env: { PATH: process.env['PATH'], ...server.env },
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    async end() {
      await Promise.all(opened.map((one) => one.close()));
    },
  };
};
