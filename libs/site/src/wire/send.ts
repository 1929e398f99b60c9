import { unavailable, withAmbiguity } from './failure.ts';
import type { Losses } from './pacer.ts';
import type { Reply, SiteRequest, Wire } from './wire.ts';

/** A reply, and whether an earlier try of the same request may have been carried out. */
export type Sent = Reply & { readonly repeated: boolean };

/** Looks at the site again while a request is under way. */
export interface Look<T> {
  /** After a try that may have been carried out. What it finds takes the place of a reply. */
  readonly again: (target: string, ambiguous: boolean) => Promise<T | undefined>;
  /** It looks, too, when the request was held back for longer before it left. */
  readonly maxHeldMs?: number;
}

/** A site that lets one request through at a time would hold back every request behind a look. */
const maxHolds = 3;

/**
 * Sends until there is a final reply, for as long as the pacer allows. 429 is waited for and is no failed try.
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

/** The reply when it is good or its status is in `also`. @throws RelayError its refusal */
export const accepted = (sent: Sent, also: readonly number[]): Sent => {
  if (sent.ok || also.includes(sent.status)) return sent;
  // An earlier try, whose answer was lost, may have been carried out before this one was refused.
  throw sent.repeated ? withAmbiguity(sent.refusal(), true) : sent.refusal();
};

/**
 * Sends what may be repeated: reads, and writes that come to the same when they are carried out twice. Statuses in `also` are returned
 * instead of thrown.
 * @throws RelayError the codes of {@link Site}
 */
export const send = (wire: Wire, request: SiteRequest, also: readonly number[] = []): Promise<Sent> =>
  exchange(wire, request, (sent) => accepted(sent, also));

/**
 * Sends a write whose answer tells nothing but that it was carried out: an empty body or any JSON (a deletion answers 204, or 200 with an
 * envelope that says so).
 * @throws RelayError as {@link send}; `site_answer_unreadable` when something else answers in the site's place
 */
export const write = async (wire: Wire, request: SiteRequest, also: readonly number[] = []): Promise<Sent> => {
  const reply = await send(wire, request, also);
  if (reply.ok) reply.payload();
  return reply;
};
