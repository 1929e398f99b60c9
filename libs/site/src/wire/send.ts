import { unavailable } from './failure.ts';
import { withAmbiguity } from './refusals.ts';
import type { Reply } from './reply.ts';
import type { SiteRequest } from './request.ts';
import { mostAttempts, type Wire } from './wire.ts';

/** A reply, and whether an earlier try of the same request may have been carried out. */
export type Sent = Reply & { readonly repeated: boolean };

/**
 * Sends what may be repeated (reads, and writes that come to the same when they are carried out twice), with up to 4 tries. Statuses in
 * `also` are returned instead of thrown.
 * @throws RelayError the codes of {@link Site}
 */
export const send = async (wire: Wire, request: SiteRequest, also: readonly number[] = []): Promise<Sent> => {
  let repeated = false;
  for (let attempt = 1; ; attempt += 1) {
    const { reply, failure } = await wire.once(request);
    if (reply) {
      if (reply.ok || also.includes(reply.status)) return { ...reply, repeated };
      // An earlier try, whose answer was lost, may have been carried out before this one was refused.
      throw repeated ? withAmbiguity(reply.refusal(), true) : reply.refusal();
    }
    repeated ||= failure.ambiguous;
    if (failure.final || attempt === mostAttempts) throw unavailable(failure, attempt, repeated);
    await wire.pause(failure, attempt);
  }
};

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
