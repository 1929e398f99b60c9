import type { Clock, Timer } from '@ranger-relay/runtime';
import type { Link } from './link.ts';
import { sweepStatement } from './statements.ts';

const everyMs = 60_000;
const perUnit = 1_000;
const unitsPerRun = 600;

/**
 * Deletes expired entries in the background, every minute, in small units that leave room for calls between them.
 * One run takes at most 600,000 entries; the rest waits for the next. Returns the function that ends it.
 */
export const startSweeping = (link: Pick<Link, 'carry'>, clock: Clock): (() => Promise<void>) => {
  let running: Promise<void> = Promise.resolve();
  const end = new AbortController();
  let timer: Timer;

  const sweep = async (): Promise<void> => {
    for (let unit = 0; unit < unitsPerRun && !end.signal.aborted; unit++) {
      const [swept] = await link.carry([{ sql: sweepStatement, params: [[clock.now(), perUnit]] }]);
      if ((swept?.length ?? 0) < perUnit) return;
    }
  };

  const schedule = (): void => {
    timer = clock.after(everyMs, () => {
      // A failure is known to the link already; expired entries are invisible anyway.
      running = sweep().catch(() => undefined);
      schedule();
    });
  };

  schedule();
  return async () => {
    end.abort();
    timer.cancel();
    await running;
  };
};
