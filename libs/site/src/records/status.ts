import { z } from 'zod';
import type { Site } from '../port.ts';
import { send } from '../wire/send.ts';
import type { Wire } from '../wire/wire.ts';

const flagSchema = z.object({ preview_features: z.object({ patrol_schemas: z.literal(true) }) });

/** Who the token belongs to, and what the site can do (site contract, 1 and 2). */
export const statusCalls = (wire: Wire): Pick<Site, 'probe' | 'patrolSchemas'> => ({
  async probe() {
    const reply = await send(wire, { method: 'GET', path: 'user/me' });
    reply.payload();
  },
  async patrolSchemas() {
    const reply = await send(wire, { method: 'GET', path: 'status/', anonymous: true }, [404]);
    return reply.ok && flagSchema.safeParse(reply.payload()).success;
  },
});
