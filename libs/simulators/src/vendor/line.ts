import { wait } from '../time/clock.ts';
import { afterFailure, expiryMs, healthyFeed, isSuspended, type FeedState } from './feed.ts';
import type { Misbehaviour, VendorOptions } from './options.ts';
import { openOutbox, type Piece } from './outbox.ts';
import { createPoster, rejectedIn } from './post.ts';
import type { Tally } from './tally.ts';

/** Whether a line sends, waits out a pause, or has given up until someone resumes it. */
export type LineState = 'active' | 'paused' | 'suspended';

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

/** Takes one occasion of a misbehaviour; false when none is left. */
export type TakeOccasion = (kind: Misbehaviour) => boolean;

/** One body and what it carries. */
interface Post {
  readonly body: string | Buffer;
  readonly pieces: number;
  readonly events: number;
}

/** What a line works with. */
export interface LineParts {
  readonly options: VendorOptions;
  readonly stateFile: string | undefined;
  readonly tally: Tally;
  readonly take: TakeOccasion;
  readonly onProgress: () => void;
}

const postOf = (pieces: readonly Piece[], version: string): Post => {
  const raw = pieces[0]?.body64;
  if (raw !== undefined) return { body: Buffer.from(raw, 'base64'), pieces: 1, events: 0 };
  const body = JSON.stringify({ Version: version, Events: pieces.map(({ event }) => event) });
  return { body, pieces: pieces.length, events: pieces.length };
};

/** Starts a line; it runs until it is closed. */
export const startLine = ({ options, stateFile, tally, take, onProgress }: LineParts): Line => {
  const { clock, random, version = '3.0', maxEventsPerPost = 50 } = options;
  const outbox = openOutbox(stateFile);
  const poster = createPoster(options);
  const closing = new AbortController();
  let interrupt = new AbortController();
  let wake: () => void = () => undefined;
  let feed = healthyFeed;
  let state: LineState = 'active';

  const tryOnce = async (post: Post, attempt: number): Promise<boolean> => {
    const start = clock.monotonic();
    const odd = { wrongToken: take('wrong_token'), close: take('close_before_answer') };
    const reply = await poster.send(post.body, odd);
    const { status, error, body } = reply;
    const rejected = rejectedIn(body);
    const answered = { at: clock.now(), attempt, events: post.events, status, error, rejected, latencyMs: clock.monotonic() - start };
    tally.answer(answered);
    options.onAnswer?.(answered);
    return status === 200;
  };

  const deliver = async (post: Post, attempt: number): Promise<boolean> => {
    if (!take('parallel')) return tryOnce(post, attempt);
    const [one, two] = await Promise.all([tryOnce(post, attempt), tryOnce(post, attempt)]);
    return one || two;
  };

  const dropExpired = (): void => {
    const oldest = clock.now() - expiryMs;
    for (let [first] = outbox.next(1); first && first.at < oldest; [first] = outbox.next(1)) {
      outbox.done(1);
      tally.expire(first.body64 === undefined ? 1 : 0);
    }
  };

  const waitAfter = async (failure: ReturnType<typeof afterFailure>): Promise<void> => {
    feed = failure.feed;
    if (failure.kind === 'pause') state = 'paused';
    await wait(clock, failure.waitMs, interrupt.signal);
    if (state === 'paused') state = isSuspended(feed) ? 'suspended' : 'active';
    while (state === 'suspended' && !closing.signal.aborted) await new Promise<void>((resolve) => (wake = resolve));
  };

  const work = async (): Promise<void> => {
    let post: Post | undefined;
    let limit = maxEventsPerPost;
    let attempt = 0;
    while (!closing.signal.aborted) {
      const before = outbox.size;
      dropExpired();
      if (outbox.size !== before) post = undefined;
      if (outbox.size === 0) {
        onProgress();
        await new Promise<void>((resolve) => (wake = resolve));
        continue;
      }
      post ??= postOf(outbox.next(limit), version);
      attempt += 1;
      const good = await deliver(post, attempt);
      if (closing.signal.aborted && !good) return;
      if (!good) {
        await waitAfter(afterFailure(feed, clock.now()));
        if (!take('regroup')) continue;
        limit = 1 + Math.floor(random.next() * maxEventsPerPost);
        post = undefined;
        continue;
      }
      feed = healthyFeed;
      if (take('repeat')) await tryOnce(post, attempt);
      outbox.done(post.pieces);
      [post, attempt, limit] = [undefined, 0, maxEventsPerPost];
    }
  };
  const working = work();

  const stir = (): void => {
    interrupt.abort();
    interrupt = new AbortController();
    wake();
  };

  return {
    get size() {
      return outbox.size;
    },
    put(pieces) {
      outbox.put(pieces);
      wake();
    },
    state: () => state,
    feed: () => feed,
    resume() {
      feed = healthyFeed;
      state = 'active';
      stir();
    },
    async close() {
      closing.abort();
      stir();
      poster.close();
      await working;
      outbox.close();
    },
  };
};
