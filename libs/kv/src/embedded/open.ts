import type { Clock, Logger } from '@ranger-relay/runtime';
import type { KeyValue } from '../port.ts';
import { openOrRebuild, type Rebuilt } from './damaged.ts';
import { createLink } from './link.ts';
import { createSpace } from './space.ts';
import { startSweeping } from './sweep.ts';
import { createTurns } from './turns.ts';

/** How to open the embedded store. */
export interface EmbeddedKvOptions {
  readonly path: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** For each call, default 2000 ms. */
  readonly deadlineMs?: number;
  /** Most calls that wait for their answer at once, default 100,000; more are refused. */
  readonly maxWaiting?: number;
  /** Hears of a damaged file that was put aside, so that a person is told; it is logged in any case. */
  readonly onRebuilt?: (rebuilt: Rebuilt) => void;
  /** Opens an existing file beside its owner, without creating or replacing it; a damaged one is an error. */
  readonly beside?: boolean;
}

/**
 * Opens the key-value store in one SQLite file, creating it when it is missing. A damaged file is put aside as
 * `<path>.damaged-<time>` and an empty one takes its place: what the store holds can be lost without losing data.
 * @throws RelayError of the file when it can be neither opened nor replaced: `data_dir_unusable`, `store_full`
 */
export const openEmbeddedKv = async (options: EmbeddedKvOptions): Promise<KeyValue> => {
  const { path, clock, log, deadlineMs = 2_000, maxWaiting = 100_000, beside = false } = options;
  const onRebuilt = (rebuilt: Rebuilt): void => {
    log.warn({ ...rebuilt, path }, 'the key-value store was damaged; it is put aside and starts empty');
    options.onRebuilt?.(rebuilt);
  };
  const link = await createLink({
    open: () => openOrRebuild({ path, clock, onRebuilt, beside }),
    clock,
    log,
    deadlineMs,
  });
  const stopSweeping = startSweeping(link, clock);
  const turns = createTurns(link.carry, maxWaiting);

  const close = async (): Promise<void> => {
    await turns.close();
    await stopSweeping();
    await link.close();
  };
  let closing: Promise<void> | undefined;

  return {
    state: createSpace('state', turns, clock),
    config: createSpace('config', turns, clock),
    ready: link.ready,
    generation: link.generation,
    close: () => (closing ??= close()),
  };
};
