import { z } from 'zod';
import type { SubjectGroup } from '../port.ts';
import { isObject } from '../wire/envelope.ts';
import { unreadable } from '../wire/refusals.ts';
import { idText } from '../wire/read.ts';
import { send } from '../wire/send.ts';
import type { Wire } from '../wire/wire.ts';

/** Names under which sites keep the member groups, in the order in which they are looked at. */
const keys = ['member_groups', 'members_groups', 'subject_groups', 'members'] as const;

const uuid = /^[\da-f]{8}-?(?:[\da-f]{4}-?){3}[\da-f]{12}$/i;

const withIdSchema = z.object({ id: idText, name: z.string().nullish() });
const namedSchema = z.object({ name: z.string().min(1) });

/** What an item of the list tells about a group: its identity, or a name alone; a subject is none. */
type Mention = SubjectGroup | { readonly id: null; readonly name: string };

const mentionOf = (item: unknown): Mention | undefined => {
  if (typeof item === 'string') return uuid.test(item) ? { id: item, name: item } : undefined;
  if (!isObject(item) || Object.hasOwn(item, 'subject_subtype')) return undefined;
  const { data } = withIdSchema.safeParse(item);
  if (data) return { id: data.id, name: data.name || data.id };
  const named = namedSchema.safeParse(item).data;
  return named && { id: null, name: named.name };
};

/**
 * The first member group of the patrol configuration: the first item that can be used, in the order of its array; a group that is given
 * by its id alone has the id as its name. Null when there is none, or no configuration (site contract, 7).
 * @throws RelayError `site_forbidden` and what {@link send} throws
 */
export const firstMemberGroup = async (
  wire: Wire,
  byName: (name: string) => Promise<SubjectGroup | null>,
): Promise<SubjectGroup | null> => {
  const reply = await send(wire, { method: 'GET', path: 'activity/patrols/config/default/' }, [404]);
  if (!reply.ok) return null;
  const payload = reply.payload() ?? {};
  if (!isObject(payload)) throw unreadable(reply.target, 'not a configuration');
  const items = keys.flatMap((key) => (Array.isArray(payload[key]) ? (payload[key] as unknown[]) : []));
  for (const item of items) {
    const mention = mentionOf(item);
    const group = mention && (mention.id === null ? await byName(mention.name) : mention);
    if (group) return group;
  }
  return null;
};
