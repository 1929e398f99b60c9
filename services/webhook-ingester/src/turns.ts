import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { smallBodyBytes } from './body/budget.ts';

/** Bounds how many bytes of bodies are worked on at once: a parsed body takes several times its bytes until its records are stored. */
export interface Turns {
  /**
   * Does `work` once there is room for it, in order.
   * @throws RelayError `too_busy` when there is none for too long; what `work` throws
   */
  run<T>(bytes: number, work: () => Promise<T>): Promise<T>;
}

interface Lane {
  /** Bytes that may be worked on at once; a larger body alone. */
  readonly capacity: number;
  /** Whether the next one starts only after a pause as long as the one before has kept the event loop. */
  readonly paced: boolean;
}

const small: Lane = { capacity: 8 * 1_048_576, paced: false };
const large: Lane = { capacity: 16 * 1_048_576, paced: true };
const maxWaitMs = 5_000;

const createLane = (clock: Pick<Clock, 'monotonic' | 'after'>, { capacity, paced }: Lane): Turns => {
  const waiting: { readonly bytes: number; readonly start: () => void }[] = [];
  let taken = 0;
  let resting = false;

  const fits = (bytes: number): boolean => !resting && (taken === 0 || taken + bytes <= capacity);

  const take = (bytes: number): void => {
    taken += bytes;
    resting = paced;
  };

  const startNext = (): void => {
    for (let [first] = waiting; first && fits(first.bytes); [first] = waiting) {
      waiting.shift();
      take(first.bytes);
      first.start();
    }
  };

  const wait = (bytes: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const waiter = { bytes, start: () => (timer.cancel(), resolve()) };
      waiting.push(waiter);
      const timer = clock.after(maxWaitMs, () => {
        waiting.splice(waiting.indexOf(waiter), 1);
        reject(new RelayError('too_busy'));
        startNext();
      });
    });

  const start = async <T>(work: () => Promise<T>): Promise<T> => {
    const begun = clock.monotonic();
    try {
      // Not awaited: the pause follows what the work does before its first wait.
      return work();
    } finally {
      if (paced)
        clock.after(clock.monotonic() - begun, () => {
          resting = false;
          startNext();
        });
    }
  };

  return {
    async run(bytes, work) {
      if (waiting.length === 0 && fits(bytes)) take(bytes);
      else await wait(bytes);
      try {
        return await start(work);
      } finally {
        taken -= bytes;
        startNext();
      }
    },
  };
};

/** Makes the turns of one process: small bodies never wait for large ones. */
export const createTurns = (clock: Pick<Clock, 'monotonic' | 'after'>): Turns => {
  const lanes = { small: createLane(clock, small), large: createLane(clock, large) };
  return { run: (bytes, work) => (bytes > smallBodyBytes ? lanes.large : lanes.small).run(bytes, work) };
};
