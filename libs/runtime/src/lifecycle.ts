import type { Logger } from './logger.ts';

/** Shutdown of one process or service, in reverse order of construction. */
export interface Lifecycle {
  /** Registers a shutdown task. It runs before all tasks registered earlier, or immediately when the shutdown has begun. */
  onStop(name: string, stop: () => void | Promise<void>): void;
  /** Runs every task once, newest first; a failing task is logged and the next one runs. */
  stop(): Promise<void>;
}

/** Creates a lifecycle. */
export const createLifecycle = (log: Logger): Lifecycle => {
  const steps: { name: string; stop: () => void | Promise<void> }[] = [];
  let stopping: Promise<void> | undefined;
  const run = async (): Promise<void> => {
    for (let step = steps.pop(); step; step = steps.pop()) {
      const { name, stop } = step;
      try {
        await stop();
      } catch (error) {
        log.error({ err: error, step: name }, 'a teardown step failed');
      }
    }
  };
  return {
    onStop(name, stop) {
      steps.push({ name, stop });
      if (stopping) stopping = stopping.then(run);
    },
    stop: () => (stopping ??= run()),
  };
};
