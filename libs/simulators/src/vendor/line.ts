import { createClient, type Client } from '../http/client.ts';
import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import { createWaits, expiryMs, type LineState } from './feed.ts';
import { openOutbox, type Piece } from './outbox.ts';

/** How the vendor identifies itself: its own header, a bearer token, or not at all. */
export type VendorAuth = { readonly header: string } | { readonly bearer: string } | 'none';

/** How to set up the vendor's feed to one customer. */
export interface VendorOptions {
  /** Whole address, path and query included. */
  readonly targetUrl: string;
  readonly auth: VendorAuth;
  readonly headers?: Readonly<Record<string, string>>;
  /** Most events in one POST; default 50. */
  readonly maxEventsPerPost?: number;
  /** POSTs at the same time; a device always uses the same one, so its order holds. Default 1. */
  readonly connections?: number;
  /** How long it waits for an answer, real milliseconds; default 30,000. */
  readonly clientTimeoutMs?: number;
  /** Time of retries, pauses and expiry; `fastClock` speeds it up. */
  readonly clock: Clock;
  readonly random: Random;
  /** JSON-lines file; what was not acknowledged survives a kill and is sent by the next run. */
  readonly stateFile?: string;
  /** Makes the POSTs; closed with the vendor. Default: over real connections, other ones for each line. */
  readonly client?: Client;
}

/**
 * Misbehaviour of a vendor: close before the answer comes, post an acknowledged body again, post a body twice at the same time, or regroup
 * events when it retries.
 */
export type Misbehaviour = 'close_before_answer' | 'repeat' | 'parallel' | 'regroup';

/** Dependencies of a line. */
interface LineOptions {
  readonly options: VendorOptions;
  readonly stateFile: string | undefined;
  /** Consumes one occurrence of a misbehaviour; false when none is left. */
  readonly take: (kind: Misbehaviour) => boolean;
  /** Called when nothing is left to send. */
  readonly onEmpty: () => void;
}

const authHeaders = (auth: VendorAuth): Record<string, string> => {
  if (auth === 'none') return {};
  return 'header' in auth ? { 'x-outbound-auth-token': auth.header } : { authorization: `Bearer ${auth.bearer}` };
};

/** Tries POSTs, with the misbehaviour that is due. */
interface Attempts {
  /** True when the customer acknowledged with 200. */
  deliver(body: string): Promise<boolean>;
  close(): void;
}

/** Makes attempts for one line, with connections of its own unless a client is given. */
const createAttempts = ({ options, take }: LineOptions): Attempts => {
  const { client = createClient(4) } = options;

  const once = async (body: string): Promise<boolean> => {
    const { status } = await client.send({
      method: 'POST',
      url: options.targetUrl,
      headers: { ...options.headers, ...authHeaders(options.auth), 'content-type': 'application/json' },
      body,
      timeoutMs: options.clientTimeoutMs ?? 30_000,
      closeBeforeAnswer: take('close_before_answer'),
    });
    return status === 200;
  };

  return {
    close: client.close,
    async deliver(body) {
      const copies = take('parallel') ? 2 : 1;
      const ends = await Promise.all(Array.from({ length: copies }, () => once(body)));
      const good = ends.includes(true);
      if (good && take('repeat')) await once(body);
      return good;
    },
  };
};

/** One queue of POSTs, strictly one after the other. */
export interface Line {
  put(pieces: readonly Omit<Piece, 'seq'>[]): void;
  state(): LineState;
  /** Ends a pause or suspension, as the vendor's support does on request. */
  resume(): void;
  readonly size: number;
  close(): Promise<void>;
}

const bodyOf = (pieces: readonly Piece[]): string =>
  JSON.stringify({ Version: '3.0', Events: pieces.map(({ event }) => event) });

/** Starts a line; it runs until it is closed. */
export const startLine = (line: LineOptions): Line => {
  const { clock, random, maxEventsPerPost = 50 } = line.options;
  const outbox = openOutbox(line.stateFile);
  const waits = createWaits(clock);
  const attempts = createAttempts(line);
  const closing = new AbortController();

  const dropExpired = (): boolean => {
    const before = outbox.size;
    const oldest = clock.now() - expiryMs;
    for (let [first] = outbox.next(1); first && first.at < oldest; [first] = outbox.next(1)) outbox.done(1);
    return outbox.size < before;
  };

  /** Sends the next POST until it is through; its body stays the same unless events expire or are grouped anew. */
  const sendOne = async (): Promise<void> => {
    let limit = maxEventsPerPost;
    let pieces = outbox.next(limit);
    while (!closing.signal.aborted) {
      if (dropExpired()) pieces = outbox.next(limit);
      if (outbox.size === 0) return;
      if (await attempts.deliver(bodyOf(pieces))) {
        waits.succeeded();
        return outbox.done(pieces.length);
      }
      if (closing.signal.aborted) return;
      await waits.afterFailure();
      if (!line.take('regroup')) continue;
      limit = 1 + Math.floor(random.next() * maxEventsPerPost);
      pieces = outbox.next(limit);
    }
  };

  const work = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      if (outbox.size > 0) await sendOne();
      else {
        line.onEmpty();
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
