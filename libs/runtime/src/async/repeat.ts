import type { Clock, Timer } from '../clock.ts';

/** Ends a repetition; resolves once the current run has ended. */
export type StopRepeating = () => Promise<void>;

/** Options of a repetition. */
export interface RepeatOptions {
  readonly clock: Pick<Clock, 'after'>;
  /** Time between two runs, ms. */
  readonly everyMs: number | (() => number);
  /** Wait before the first run, ms; default `everyMs`. 0 starts it at once. */
  readonly firstMs?: number;
}

/** Runs `work` repeatedly, each time `everyMs` after the previous run ended. `work` must not reject. */
export const repeat = ({ clock, everyMs, firstMs }: RepeatOptions, work: () => unknown): StopRepeating => {
  let stopped = false;
  let timer: Timer | undefined;
  let running: Promise<void> | undefined;
  const waitMs = (): number => (typeof everyMs === 'number' ? everyMs : everyMs());
  const run = async (): Promise<void> => {
    await work();
    if (!stopped) timer = clock.after(waitMs(), start);
  };
  const start = (): void => {
    running = run();
  };
  if (firstMs === 0) start();
  else timer = clock.after(firstMs ?? waitMs(), start);
  return async () => {
    stopped = true;
    timer?.cancel();
    await running;
  };
};

/** Runs `work` at a fixed rate, first after `everyMs`. Skips a run that would overlap with the previous one. `work` must not reject. */
export const repeatAtRate = (
  { clock, everyMs, firstMs = everyMs }: RepeatOptions & { readonly everyMs: number },
  work: () => unknown,
): StopRepeating => {
  let running: Promise<unknown> | undefined;
  const tick = (): void => {
    timer = clock.after(everyMs, tick);
    running ??= Promise.resolve(work()).finally(() => (running = undefined));
  };
  let timer = clock.after(firstMs, tick);
  return async () => {
    timer.cancel();
    await running;
  };
};
