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

/** Asks a service for its health check all the time, until the end. */
export const watchHealth = ({ url }: { readonly url: string }) => {
  const times: number[] = [];
  const state = { over: false };
  const watching = (async () => {
    while (!state.over) {
      times.push(await askOnce(url));
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return {
    /** The time in which 95 of 100 answers came, ms. */
    async end(): Promise<number> {
      state.over = true;
      await watching;
      return times.sort((a, b) => a - b)[Math.floor(times.length * 0.95)] ?? Infinity;
    },
  };
};
