import { isRelayError, RelayError } from '@ranger-relay/errors';
import { unreadable, withAmbiguity } from './failure.ts';
import { exchange, type Sent } from './send.ts';
import type { Reply, SiteRequest, Wire } from './wire.ts';

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
const findAfter = async <T>({ find }: Creation<T>): Promise<T | undefined> => {
  try {
    return await find();
  } catch (error) {
    throw isRelayError(error) ? withAmbiguity(error, true) : error;
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
    const found = await findAfter(creation);
    if (found !== undefined) return found;
    throw isRelayError(error) ? withAmbiguity(error, true) : error;
  }
  return (await findAfter(creation)) ?? madeUnseen(creation, reply.target);
};

/** A record that is there, and whether it may be there twice: it was sent again after a try that may still be carried out. */
export interface Created<T> {
  readonly record: T;
  readonly maybeTwice: boolean;
}

/** What a final reply comes to. A conflict after a lost answer is most likely our own record. */
const settle = async <T>(sent: Sent, creation: Creation<T>): Promise<Created<T>> => {
  if (sent.ok) return { record: await madeBy(sent, creation), maybeTwice: sent.repeated };
  if (sent.status !== 409 && creation.exists?.(sent) !== true) throw sent.refusal();
  const found = sent.repeated ? await findAfter(creation) : undefined;
  if (found === undefined) throw conflict(sent);
  return { record: found, maybeTwice: false };
};

/**
 * Makes a record without ever making it twice: after an answer that was lost the list is read, and the request is sent again only when
 * the record is not there; after 429 it waits and sends (site contract, 1, POST).
 * @throws RelayError `site_conflict` when it existed before, `site_unavailable`, and refusals
 */
export const create = <T>(wire: Wire, creation: Creation<T>): Promise<Created<T>> =>
  exchange(wire, creation.request, (sent) => settle(sent, creation), {
    async again() {
      const found = await findAfter(creation);
      return found === undefined ? undefined : { record: found, maybeTwice: false };
    },
  });
