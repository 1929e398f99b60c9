import type { HttpAnswer } from '@ranger-relay/http';
import { httpAnswer, scriptedHttp } from '@ranger-relay/http/testing';
import { memoryKv, type MemoryKv } from '@ranger-relay/kv/testing';
import { manualClock, silentLogger, testContext } from '@ranger-relay/runtime/testing';
import { createApi } from '../api.ts';
import { createConfigCache } from '../config-cache.ts';
import { decodeEntry } from '../config-entry.ts';
import { createIntegrations } from '../integrations.ts';
import { createLoader } from '../loader.ts';
import { wholeIntegration } from './platform-answers.ts';

const tokens = { token: () => Promise.resolve('t'), invalidate: () => undefined };
const random = { next: () => 0, uuid: () => 'u' };

/** The cache of one process over a store and a platform that the test directs. */
export const cacheHarness = (clock = manualClock(), kv: MemoryKv = memoryKv(clock)) => {
  const platform: { answer: () => HttpAnswer | Promise<HttpAnswer> } = {
    answer: () => httpAnswer(200, wholeIntegration()),
  };
  const http = scriptedHttp(() => platform.answer());
  const api = createApi('https://api.example', http, tokens);
  const stale = { times: 0 };
  const onStale = (): void => void (stale.times += 1);
  const cache = createConfigCache(kv.config, createLoader(api, kv.config, clock, silentLogger()), clock, onStale);
  const { conditions } = testContext({ clock });
  return {
    conditions,
    stale,
    kv,
    clock,
    platform,
    http,
    api,
    cache,
    integrations: createIntegrations(api, cache, { clock, random }),
    calls: () => http.requests.length,
    stored: (key: string) => decodeEntry(kv.config.entries.get(key)?.value ?? null),
    /** Waits for a result while the clock moves on; answers how long it took. */
    async timed<T>(result: Promise<T>): Promise<{ value?: T; error?: unknown; ms: number }> {
      const began = clock.monotonic();
      const took = (): number => clock.monotonic() - began;
      const state = { settled: false };
      const outcome = result
        .then(
          (value) => ({ value, ms: took() }),
          (error: unknown) => ({ error, ms: took() }),
        )
        .finally(() => (state.settled = true));
      for (let step = 0; step < 1_300; step += 1) {
        if (state.settled) break;
        await clock.advance(100);
      }
      return outcome;
    },
  };
};
