import { isDeepStrictEqual } from 'node:util';
import { isRelayError, RelayError } from '@ranger-relay/errors';
import { notForbidden, withAmbiguity } from '../client/failure.ts';
import { accepted, type Reply, type SiteClient, type SiteRequest } from '../client/client.ts';

/** A change of an object that was read before. */
export interface Update<T extends object> {
  readonly request: SiteRequest;
  /** The object as it was read. */
  readonly present: T;
  readonly changes: object;
  /** When the caller took that reading, monotonic ms; undefined: just now. */
  readonly readAt: number | undefined;
  /** Reads the object again; undefined when it is gone. */
  readonly look: () => Promise<T | undefined>;
}

const hasAll = (object: object, changes: object): boolean =>
  Object.entries(changes).every(([name, value]) => isDeepStrictEqual(Reflect.get(object, name), value));

/**
 * Whether a request of ours has made the changes.
 * @throws RelayError `site_changed` when another writer has changed the object since it was read, also to the same values
 */
const isDone = async <T extends object>(
  { present, changes, look }: Update<T>,
  target: string,
  ambiguous: boolean,
): Promise<true | undefined> => {
  const now = await look().catch((error: unknown) => {
    throw isRelayError(error) ? withAmbiguity(error, ambiguous) : error;
  });
  if (ambiguous && now !== undefined && hasAll(now, changes)) return true;
  if (now !== undefined && isDeepStrictEqual(now, present)) return undefined;
  throw new RelayError('site_changed', { details: { target, ambiguous }, ambiguous });
};

/** Maximum age of a reading when the request is sent; after that the object is read again. */
const maxAgeMs = 5_000;

/**
 * Changes an object without overwriting the changes of another writer: reads the object again after a lost response, which may be minutes
 * old, and before a request whose reading is too old. The request is sent only while the object is as it was read.
 * @returns the response when its status is in `also`; undefined when the object is changed
 * @throws RelayError `site_changed` and as {@link write}
 */
export const update = async <T extends object>(
  client: SiteClient,
  it: Update<T>,
  also: readonly number[] = [],
): Promise<Reply | undefined> => {
  const again = (target: string, ambiguous: boolean): Promise<true | undefined> => isDone(it, target, ambiguous);
  const onReply = (sent: Reply): Reply => accepted(sent, also);
  const ended = await client.exchange<Reply | true>(it.request, onReply, {
    again,
    reading: { at: it.readAt, maxAgeMs },
  });
  if (ended === true || !ended.ok) return ended === true ? undefined : ended;
  notForbidden(ended.target, ended.payload());
  return undefined;
};
