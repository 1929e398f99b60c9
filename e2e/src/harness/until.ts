/** Waits for a condition of another process, asking again until it holds or the time is over. */
export const until = async (
  what: string,
  holds: () => Promise<boolean> | boolean,
  timeoutMs = 30_000,
  everyMs = 25,
): Promise<void> => {
  const end = performance.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      if (await holds()) return;
    } catch (error) {
      last = error;
    }
    if (performance.now() > end) throw new Error(`${what}: not within ${timeoutMs} ms`, { cause: last });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
};
