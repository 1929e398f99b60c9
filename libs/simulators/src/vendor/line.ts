import { createClient, type Reply } from '../http/client.ts';
import { expiryMs, type FeedState } from './feed.ts';
import { createWaits, type LineState } from './line-state.ts';
import type { Misbehaviour, VendorAuth, VendorOptions } from './options.ts';
import { openOutbox, type Piece } from './outbox.ts';
import type { Tally } from './tally.ts';

/** Sends bodies to the customer. */
interface Poster {
  send(body: string | Uint8Array, odd: { wrongToken: boolean; close: boolean }): Promise<Reply>;
  close(): void;
}

const authHeaders = (auth: VendorAuth, wrong: boolean): Record<string, string> => {
  if (auth === 'none') return {};
  const spoil = wrong ? 'x' : '';
  return 'header' in auth
    ? { 'x-outbound-auth-token': auth.header + spoil }
    : { authorization: `Bearer ${auth.bearer}${spoil}` };
};

/** Makes a poster, with connections of its own unless a client is given. */
const createPoster = (options: VendorOptions): Poster => {
  const { client = createClient(4) } = options;
  return {
    close: client.close,
    send: (body, { wrongToken, close }) =>
      client.send({
        method: 'POST',
        url: options.targetUrl,
        headers: { ...options.headers, ...authHeaders(options.auth, wrongToken), 'content-type': 'application/json' },
        body,
        timeoutMs: options.clientTimeoutMs ?? 30_000,
        closeBeforeAnswer: close,
      }),
  };
};

/** How many events an answer names as rejected. */
const rejectedIn = (body: string): number => {
  try {
    const { rejected } = JSON.parse(body) as { rejected?: unknown };
    return Array.isArray(rejected) ? rejected.length : 0;
  } catch {
    return 0;
  }
};

/** Consumes one occurrence of a misbehaviour; false when none is left. */
type TakeOccasion = (kind: Misbehaviour) => boolean;

/** One body and what it carries. */
interface Post {
  readonly body: string | Buffer;
  /** Pieces of the outbox in it. */
  readonly pieces: number;
  readonly events: number;
}

/** Makes the body that carries some pieces. */
const postOf = (pieces: readonly Piece[], version: string): Post => {
  const raw = pieces[0]?.body64;
  if (raw !== undefined) return { body: Buffer.from(raw, 'base64'), pieces: 1, events: 0 };
  const body = JSON.stringify({ Version: version, Events: pieces.map(({ event }) => event) });
  return { body, pieces: pieces.length, events: pieces.length };
};

/** Tries POSTs and counts how they end. */
interface Attempts {
  /** True when the customer acknowledged with 200. */
  deliver(post: Post, attempt: number): Promise<boolean>;
  close(): void;
}

/** Makes attempts for one line, with the misbehaviour that is due. */
const createAttempts = (options: VendorOptions, tally: Tally, take: TakeOccasion): Attempts => {
  const { clock, onAnswer } = options;
  const poster = createPoster(options);

  const once = async (post: Post, attempt: number): Promise<boolean> => {
    const start = clock.monotonic();
    const odd = { wrongToken: take('wrong_token'), close: take('close_before_answer') };
    const { status, error, body } = await poster.send(post.body, odd);
    const answered = {
      at: clock.now(),
      attempt,
      events: post.events,
      status,
      error,
      rejected: rejectedIn(body),
      latencyMs: clock.monotonic() - start,
    };
    tally.answer(answered);
    onAnswer?.(answered);
    return status === 200;
  };

  return {
    close: poster.close,
    async deliver(post, attempt) {
      const copies = take('parallel') ? 2 : 1;
      const ends = await Promise.all(Array.from({ length: copies }, () => once(post, attempt)));
      const good = ends.includes(true);
      if (good && take('repeat')) await once(post, attempt);
      return good;
    },
  };
};

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

/** Dependencies of a line. */
interface LineOptions {
  readonly options: VendorOptions;
  readonly stateFile: string | undefined;
  readonly tally: Tally;
  readonly take: TakeOccasion;
  /** Called when nothing is left to send. */
  readonly onEmpty: () => void;
}

/** Starts a line; it runs until it is closed. */
export const startLine = ({ options, stateFile, tally, take, onEmpty }: LineOptions): Line => {
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
