import type { Misbehaviour, VendorOptions } from './options.ts';
import type { Piece } from './outbox.ts';
import { createPoster, rejectedIn } from './post.ts';
import type { Tally } from './tally.ts';

/** Takes one occasion of a misbehaviour; false when none is left. */
export type TakeOccasion = (kind: Misbehaviour) => boolean;

/** One body and what it carries. */
export interface Post {
  readonly body: string | Buffer;
  /** Pieces of the outbox in it. */
  readonly pieces: number;
  readonly events: number;
}

/** Makes the body that carries some pieces. */
export const postOf = (pieces: readonly Piece[], version: string): Post => {
  const raw = pieces[0]?.body64;
  if (raw !== undefined) return { body: Buffer.from(raw, 'base64'), pieces: 1, events: 0 };
  const body = JSON.stringify({ Version: version, Events: pieces.map(({ event }) => event) });
  return { body, pieces: pieces.length, events: pieces.length };
};

/** Tries POSTs and counts how they end. */
export interface Attempts {
  /** True when the customer acknowledged with 200. */
  deliver(post: Post, attempt: number): Promise<boolean>;
  close(): void;
}

/** Makes attempts for one line, with the misbehaviour that is due. */
export const createAttempts = (options: VendorOptions, tally: Tally, take: TakeOccasion): Attempts => {
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
