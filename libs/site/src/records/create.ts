import { isRelayError, RelayError } from '@ranger-relay/errors';
import { notForbidden, unreadable, withAmbiguity } from '../client/failure.ts';
import type { Reply, SiteClient, SiteRequest } from '../client/client.ts';
import type { Created } from '../port.ts';

/** How to create one record. */
export interface Creation<T> {
  readonly request: SiteRequest & { readonly method: 'POST' };
  /** Returns the record of a successful response; undefined when the response contains none. */
  readonly read: (payload: unknown) => T | undefined;
  /** Finds the record in the site's list; undefined when it is not there. */
  readonly find: () => Promise<T | undefined>;
  /** Whether the newest list has the record, which the site itself would not refuse; it is then not sent. */
  readonly isListed?: () => boolean;
  /** Whether a refusal other than 409 means that the record already exists. */
  readonly exists?: (reply: Reply) => boolean;
  /** The result for a record that the site created but does not show; default: `site_answer_unreadable`. */
  readonly unshown?: T;
}

const conflict = (target: string): RelayError => new RelayError('site_conflict', { details: { target } });

/** Reads the list when the response alone is not reliable; if reading fails, the outcome of the creation is ambiguous. */
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

/** The record of a successful response, otherwise the one in the list. */
const madeBy = async <T>(reply: Reply, creation: Creation<T>): Promise<T> => {
  try {
    const made = creation.read(notForbidden(reply.target, reply.payload()));
    if (made !== undefined) return made;
  } catch (error) {
    if (isRelayError(error, 'site_forbidden')) throw error;
    const found = await findAfter(creation);
    if (found !== undefined) return found;
    throw isRelayError(error) ? withAmbiguity(error, true) : error;
  }
  return (await findAfter(creation)) ?? madeUnseen(creation, reply.target);
};

/**
 * Evaluates a final response. A conflict after a lost response most likely means that this caller created the record.
 * @param lost number of earlier attempts whose response was lost
 */
const settle = async <T>(sent: Reply, creation: Creation<T>, lost: number): Promise<Created<T>> => {
  if (sent.ok) return { record: await madeBy(sent, creation), maybeTwice: lost > 0 };
  if (sent.status !== 409 && creation.exists?.(sent) !== true) throw sent.refusal();
  const found = lost > 0 ? await findAfter(creation) : undefined;
  if (found === undefined) throw conflict(sent.target);
  return { record: found, maybeTwice: lost > 1 };
};

/**
 * Creates a record at most once: after a lost response it reads the list, and sends the request again only when the record is not there;
 * after 429 it waits and sends again (site contract, 1, POST).
 * @throws RelayError `site_conflict` when another writer created the record, `site_unavailable`, and refusals
 */
export const create = <T>(client: SiteClient, creation: Creation<T>): Promise<Created<T>> => {
  let lost = 0;
  return client.exchange(creation.request, (sent) => settle(sent, creation, lost), {
    isOutdated: () => creation.isListed?.() === true,
    async again(target, ambiguous) {
      if (!ambiguous) throw conflict(target);
      lost += 1;
      const found = await findAfter(creation);
      return found === undefined ? undefined : { record: found, maybeTwice: lost > 1 };
    },
  });
};
