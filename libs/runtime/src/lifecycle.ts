import type { Logger } from './logger.ts';

/** Teardown of one process or service, in reverse order of building. */
export interface Lifecycle {
  /** Registers what to do at the end; runs before everything that was registered earlier, at once when the end has come. */
  onStop(name: string, stop: () => void | Promise<void>): void;
  /** Runs every teardown once, newest first; a failing one is logged and the next runs. */
  stop(): Promise<void>;
}

/** Makes a lifecycle. */
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
