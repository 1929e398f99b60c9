import { createAttempts, postOf, type Post, type TakeOccasion } from './attempt.ts';
import { expiryMs, type FeedState } from './feed.ts';
import { createWaits, type LineState } from './line-state.ts';
import type { VendorOptions } from './options.ts';
import { openOutbox, type Piece } from './outbox.ts';
import type { Tally } from './tally.ts';

/** One queue of POSTs, strictly one after the other. */
export interface Line {
  put(pieces: readonly Omit<Piece, 'seq'>[]): void;
  state(): LineState;
  feed(): FeedState;
  /** Ends a pause or suspension, as the vendor's support does on request. */
  resume(): void;
  readonly size: number;
  close(): Promise<void>;
}

/** What a line works with. */
export interface LineParts {
  readonly options: VendorOptions;
  readonly stateFile: string | undefined;
  readonly tally: Tally;
  readonly take: TakeOccasion;
  /** Called when nothing is left to send. */
  readonly onEmpty: () => void;
}

/** Starts a line; it runs until it is closed. */
export const startLine = ({ options, stateFile, tally, take, onEmpty }: LineParts): Line => {
  const { clock, random, version = '3.0', maxEventsPerPost = 50 } = options;
  const outbox = openOutbox(stateFile);
  const waits = createWaits(clock);
  const attempts = createAttempts(options, tally, take);
  const closing = new AbortController();

  const dropExpired = (): boolean => {
    const before = outbox.size;
    const oldest = clock.now() - expiryMs;
    for (let [first] = outbox.next(1); first && first.at < oldest; [first] = outbox.next(1)) {
      outbox.done(1);
      tally.expire(first.body64 === undefined ? 1 : 0);
    }
    return outbox.size < before;
  };

  /** Sends the next POST until it is through; its body stays the same unless events expire or are grouped anew. */
  const sendOne = async (): Promise<void> => {
    let post: Post | undefined;
    let limit = maxEventsPerPost;
    for (let attempt = 1; !closing.signal.aborted; attempt += 1) {
      if (dropExpired()) post = undefined;
      if (outbox.size === 0) return;
      post ??= postOf(outbox.next(limit), version);
      if (await attempts.deliver(post, attempt)) {
        waits.succeeded();
        return outbox.done(post.pieces);
      }
      if (closing.signal.aborted) return;
      await waits.afterFailure();
      if (!take('regroup')) continue;
      limit = 1 + Math.floor(random.next() * maxEventsPerPost);
      post = undefined;
    }
  };

  const work = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      if (outbox.size > 0) await sendOne();
      else {
        onEmpty();
        await waits.forWork();
      }
    }
  };
  const working = work();

  return {
    get size() {
      return outbox.size;
    },
    put(pieces) {
      outbox.put(pieces);
      waits.stir();
    },
    state: () => waits.state,
    feed: () => waits.feed,
    resume: waits.resume,
    async close() {
      closing.abort();
      waits.resume();
      attempts.close();
      await working;
      outbox.close();
    },
  };
};
