import { unavailable, withAmbiguity } from './failure.ts';
import type { Losses } from './pacer.ts';
import type { Reply, SiteRequest, Wire } from './wire.ts';

/** A response, and whether an earlier attempt of the same request may have been carried out. */
export type Sent = Reply & { readonly repeated: boolean };

/** How to check the site again between attempts. */
export interface Look<T> {
  /** Called after an attempt that may have been carried out. A result replaces the response. */
  readonly again: (target: string, ambiguous: boolean) => Promise<T | undefined>;
  /** Also check when the request was held back for longer than this before it was sent. */
  readonly maxHeldMs?: number;
}

/** Maximum checks of a held request: a site that accepts one request at a time would hold back every request behind a check. */
const maxHolds = 3;

/**
 * Sends a request until there is a final response, for as long as the pacer allows. A 429 leads to a wait and does not count as a failed
 * attempt.
 * @throws RelayError `site_unavailable`, and what the two functions throw
 */
export const exchange = async <T>(
  wire: Wire,
  request: SiteRequest,
  onReply: (sent: Sent) => T | Promise<T>,
  look?: Look<T>,
): Promise<T> => {
  let repeated = false;
  let losses: Losses | undefined;
  let holds = 0;
  for (let tries = 1; ; tries += 1) {
    const { reply, failure } = await wire.once(request, losses, holds < maxHolds ? look?.maxHeldMs : undefined);
    if (reply) return onReply({ ...reply, repeated });
    repeated ||= failure.ambiguous;
    if (failure.kind === 'lost') losses = failure.losses;
    if (failure.kind === 'held') holds += 1;
    const looks = failure.ambiguous || failure.kind === 'held';
    const found = looks ? await look?.again(failure.target, repeated) : undefined;
    if (found !== undefined) return found;
    if (failure.final) throw unavailable(failure, tries, repeated);
  }
};

/** Returns the response when it is successful or its status is in `also`. @throws RelayError its refusal */
export const accepted = (sent: Sent, also: readonly number[]): Sent => {
  if (sent.ok || also.includes(sent.status)) return sent;
  // An earlier attempt without a response may have been carried out before this one was refused.
  throw sent.repeated ? withAmbiguity(sent.refusal(), true) : sent.refusal();
};

/**
 * Sends an idempotent request, a read or a write. Statuses in `also` are returned instead of thrown.
 * @throws RelayError the codes of {@link Site}
 */
export const send = (wire: Wire, request: SiteRequest, also: readonly number[] = []): Promise<Sent> =>
  exchange(wire, request, (sent) => accepted(sent, also));

/**
 * Sends a write whose response only confirms it: an empty body or any JSON (a deletion returns 204, or 200 with an envelope).
 * @throws RelayError as {@link send}; `site_answer_unreadable` when another system responds instead of the site
 */
export const write = async (wire: Wire, request: SiteRequest, also: readonly number[] = []): Promise<Sent> => {
  const reply = await send(wire, request, also);
  if (reply.ok) reply.payload();
  return reply;
};
