import type { Started } from './product.ts';

/** What a kill found under way. */
export interface Kill {
  /** ms since 1970. */
  readonly at: number;
}

/** A product that is killed and started again. */
export interface Victim {
  /** Starts it; resolves when it is ready. */
  start(): Promise<Started>;
}

/** Kills so many times, starting again each time. */
export const killRepeatedly = async (
  victim: Victim,
  first: Started,
  options: { readonly kills: number; readonly betweenMs: () => number },
): Promise<{ kills: Kill[]; running: Started }> => {
  const kills: Kill[] = [];
  let running = first;
  while (kills.length < options.kills) {
    await new Promise((resolve) => setTimeout(resolve, options.betweenMs()));
    kills.push({ at: Date.now() });
    await running.end('SIGKILL');
    running = await victim.start();
  }
  return { kills, running };
};
