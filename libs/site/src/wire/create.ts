import { isRelayError, RelayError } from '@ranger-relay/errors';
import { unavailable } from './failure.ts';
import { unreadable, withAmbiguity } from './refusals.ts';
import type { Reply } from './reply.ts';
import type { SiteRequest } from './request.ts';
import { mostAttempts, type Wire } from './wire.ts';

/** How one record is made. */
export interface Creation<T> {
  readonly request: SiteRequest & { readonly method: 'POST' };
  /** The record of a good reply; undefined when the reply names none. */
  readonly read: (payload: unknown) => T | undefined;
  /** Looks for the record in the site's list; undefined when it is not there. */
  readonly find: () => Promise<T | undefined>;
  /** Whether a refusal says that the record exists already, beside 409. */
  readonly exists?: (reply: Reply) => boolean;
  /** What a record counts as that the site made and does not show; left out: `site_answer_unreadable`. */
  readonly unshown?: T;
}

const conflict = ({ target }: Reply): RelayError => new RelayError('site_conflict', { details: { target } });

/** Reads the list after an answer that cannot be trusted alone; what goes wrong with it leaves the creation in doubt. */
const findAfter = async <T>({ find }: Creation<T>, ambiguous: boolean): Promise<T | undefined> => {
  try {
    return await find();
  } catch (error) {
    throw isRelayError(error) ? withAmbiguity(error, ambiguous) : error;
  }
};

const madeUnseen = <T>({ unshown }: Creation<T>, target: string): T => {
  if (unshown !== undefined) return unshown;
  throw unreadable(target, 'it says that it made the record, and does not show it', true);
};

/** The record that a good reply names, else the one in the list. */
const madeBy = async <T>(reply: Reply, creation: Creation<T>): Promise<T> => {
  try {
    const made = creation.read(reply.payload());
    if (made !== undefined) return made;
  } catch (error) {
    const found = await findAfter(creation, true);
    if (found !== undefined) return found;
    throw isRelayError(error) ? withAmbiguity(error, true) : error;
  }
  return (await findAfter(creation, true)) ?? madeUnseen(creation, reply.target);
};

/** What a final reply comes to. A conflict after a lost answer is most likely our own record. */
const settle = async <T>(reply: Reply, creation: Creation<T>, lost: boolean): Promise<T> => {
  if (reply.ok) return madeBy(reply, creation);
  if (reply.status !== 409 && creation.exists?.(reply) !== true) throw reply.refusal();
  const found = lost ? await findAfter(creation, true) : undefined;
  if (found === undefined) throw conflict(reply);
  return found;
};

/**
 * Makes a record without ever making it twice: after an answer that was lost the list is read, and the request is sent again only when
 * the record is not there; after 429 it waits and sends (site contract, 1, POST).
 * @throws RelayError `site_conflict` when it existed before, `site_unavailable`, and refusals
 */
export const create = async <T>(wire: Wire, creation: Creation<T>): Promise<T> => {
  let [lost, ambiguous] = [false, false];
  for (let attempt = 1; ; attempt += 1) {
    const { reply, failure } = await wire.once(creation.request);
    if (reply) return settle(reply, creation, lost);
    ambiguous ||= failure.ambiguous;
    if (failure.final) throw unavailable(failure, attempt, ambiguous);
    if (attempt < mostAttempts) await wire.pause(failure, attempt);
    if (failure.kind === 'lost') {
      lost = true;
      const found = await findAfter(creation, ambiguous);
      if (found !== undefined) return found;
    }
    if (attempt === mostAttempts) throw unavailable(failure, attempt, ambiguous);
  }
};
