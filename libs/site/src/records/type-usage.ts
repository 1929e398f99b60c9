import { isRelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import type { PatrolTypeUse, SiteUser } from '../port.ts';
import { send } from '../wire/send.ts';
import type { Wire } from '../wire/wire.ts';

const nothing = z.union([
  z.array(z.unknown()).length(0),
  z.object({ count: z.literal(0), results: z.array(z.unknown()).length(0) }),
]);

/** Only a count of 0 says that nothing is there: rows, also of other types (a filter that is not honoured), say the opposite. */
const isEmpty = async (wire: Wire, id: string): Promise<boolean> => {
  const query = { filter: JSON.stringify({ patrol_type: [id] }), page_size: '1' };
  const reply = await send(wire, { method: 'GET', path: 'activity/patrols/', query });
  return nothing.safeParse(reply.payload()).success;
};

/**
 * Whether patrols of a type exist (site contract, 3). A token that may not view all patrols is shown none of them: its count says nothing.
 * @throws RelayError `site_unauthorized`, since nothing else will work either
 */
export const typeUse = async (wire: Wire, id: string, user: () => Promise<SiteUser>): Promise<PatrolTypeUse> => {
  try {
    if (!(await isEmpty(wire, id))) return 'used';
    return (await user()).seesPatrols ? 'unused' : 'unknown';
  } catch (error) {
    if (isRelayError(error) && error.code !== 'site_unauthorized') return 'unknown';
    throw error;
  }
};
