import { RelayError } from '@ranger-relay/errors';
import type { Clock } from '@ranger-relay/runtime';
import { smallBodyBytes } from './body/read-body.ts';
import type { YieldTurn } from './ingest/envelope.ts';

/** Limits the bytes of bodies that are processed at once: a parsed body takes several times its size until its records are stored. */
export interface IngestLimiter {
  /**
   * Runs `work` once there is room for it, in order of arrival. `work` calls `yieldTurn` between two steps that occupy the event loop.
   * @throws RelayError `too_busy` when there is no room for too long; what `work` throws
   */
  run<T>(bytes: number, work: (yieldTurn: YieldTurn) => Promise<T>): Promise<T>;
}

interface Lane {
  /** Bytes that may be processed at once; a larger body is processed alone. */
  readonly capacity: number;
  /** Whether each step starts only after a pause as long as the previous step occupied the event loop. */
  readonly paced: boolean;
}

const small: Lane = { capacity: 8 * 1_048_576, paced: false };
const large: Lane = { capacity: 16 * 1_048_576, paced: true };
const maxWaitMs = 5_000;

const createLane = (
  clock: Pick<Clock, 'monotonic' | 'after' | 'sleep' | 'turn'>,
  { capacity, paced }: Lane,
): IngestLimiter => {
  const waiting: { readonly bytes: number; readonly start: () => void }[] = [];
  let taken = 0;
  /** Resolves when the next step may start. */
  let pause = Promise.resolve();

  const fits = (bytes: number): boolean => taken === 0 || taken + bytes <= capacity;

  const startNext = (): void => {
    for (let [first] = waiting; first && fits(first.bytes); [first] = waiting) {
      waiting.shift();
      taken += first.bytes;
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

  /** Resolves once the event loop was free for as long as the step after `turn` occupied it. */
  const afterStep = async (turn: Promise<void>): Promise<void> => {
    await turn;
    const begun = clock.monotonic();
    await clock.turn();
    const spent = clock.monotonic() - begun;
    if (spent > 0) await clock.sleep(spent);
  };

  const yieldTurn: YieldTurn = () => {
    const turn = pause;
    pause = afterStep(turn);
    return turn;
  };

  return {
    async run(bytes, work) {
      if (waiting.length === 0 && fits(bytes)) taken += bytes;
      else await wait(bytes);
      try {
        if (!paced) return await work(() => Promise.resolve());
        await yieldTurn();
        return await work(yieldTurn);
      } finally {
        taken -= bytes;
        startNext();
      }
    },
  };
};

/** Creates the limiter of one process: small bodies never wait for large ones. */
export const createIngestLimiter = (clock: Pick<Clock, 'monotonic' | 'after' | 'sleep' | 'turn'>): IngestLimiter => {
  const lanes = { small: createLane(clock, small), large: createLane(clock, large) };
  return { run: (bytes, work) => (bytes > smallBodyBytes ? lanes.large : lanes.small).run(bytes, work) };
};
