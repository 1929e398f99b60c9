import { startBareServer } from './bare-server.ts';
import { share } from './probes.ts';

const everyMs = 20;

/** Milliseconds until the health check said that all is well; Infinity when it did not. */
const askOnce = async (url: string): Promise<number> => {
  const from = performance.now();
  try {
    const answer = await fetch(`${url}/`);
    await answer.text();
    return answer.ok ? performance.now() - from : Infinity;
  } catch {
    return Infinity;
  }
};

/** Asks all the time, until the end; then the time in which 95 of 100 answers came, ms. */
const watch = (url: string): (() => Promise<number>) => {
  const times: number[] = [];
  const state = { over: false };
  const watching = (async () => {
    while (!state.over) {
      times.push(await askOnce(url));
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return async () => {
    state.over = true;
    await watching;
    return share(times, 0.95);
  };
};

/** Polls the health checks of services continuously, and a bare server beside them. */
export const watchHealth = async (services: readonly { readonly url: string }[]) => {
  const bare = await startBareServer();
  const ends = [bare, ...services].map(({ url }) => watch(url));
  return {
    /** The time in which 95 of 100 answers came, by how much it was longer than that of the bare server, ms, in the order of the services. */
    async end(): Promise<readonly number[]> {
      const [beside = 0, ...own] = await Promise.all(ends.map((end) => end()));
      bare.end();
      return own.map((p95) => p95 - beside);
    },
  };
};
