/** Message of an error and of its causes. */
const saidBy = (error: unknown): string =>
  error instanceof Error
    ? [error.message, error.cause && saidBy(error.cause)].filter(Boolean).join(': ')
    : String(error);

/** A process that was held up for the whole time has not waited. */
const leastTries = 10;

/** Waits for a condition of another process, asking again until it holds or the time is over. */
export const until = async (
  what: string,
  holds: () => Promise<boolean> | boolean,
  timeoutMs = 30_000,
  everyMs = 25,
): Promise<void> => {
  const end = performance.now() + timeoutMs;
  let last: unknown;
  for (let tries = 1; ; tries += 1) {
    try {
      if (await holds()) return;
      last = undefined;
    } catch (error) {
      last = error;
    }
    if (tries >= leastTries && performance.now() > end)
      throw new Error(`${what}: not within ${timeoutMs} ms${last === undefined ? '' : `: ${saidBy(last)}`}`, {
        cause: last,
      });
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
};
