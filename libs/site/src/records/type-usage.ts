import { isRelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { send } from '../wire/send.ts';
import type { Wire } from '../wire/wire.ts';

const nothing = z.union([
  z.array(z.unknown()).length(0),
  z.object({ count: z.literal(0), results: z.array(z.unknown()).length(0) }),
]);

/**
 * Whether patrols of a type exist. Only a count of 0 says no: rows, also of other types (a filter that is not honoured), refusals and
 * answers that cannot be read count as yes (site contract, 3).
 * @throws RelayError `site_unauthorized`, since nothing else will work either
 */
export const isTypeUsed = async (wire: Wire, id: string): Promise<boolean> => {
  const query = { filter: JSON.stringify({ patrol_type: [id] }), page_size: '1' };
  try {
    const reply = await send(wire, { method: 'GET', path: 'activity/patrols/', query });
    return !nothing.safeParse(reply.payload()).success;
  } catch (error) {
    if (isRelayError(error) && error.code !== 'site_unauthorized') return true;
    throw error;
  }
};
