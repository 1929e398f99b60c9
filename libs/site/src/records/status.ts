import { z } from 'zod';
import type { Site, SiteUser } from '../port.ts';
import { send } from '../wire/send.ts';
import type { Wire } from '../wire/wire.ts';

const flagSchema = z.object({ preview_features: z.object({ patrol_schemas: z.literal(true) }) });

const superuserSchema = z.object({ is_superuser: z.literal(true) });
/** Not every site lists them. */
const permissionsSchema = z.object({ permissions: z.array(z.unknown()) });

const viewPatrol = /^(?:activity\.)?view_patrol$/;

/** Who the token belongs to. @throws RelayError `site_unauthorized` and as {@link send} */
export const readUser = async (wire: Wire): Promise<SiteUser> => {
  const payload = (await send(wire, { method: 'GET', path: 'user/me' })).payload();
  const isSuperuser = superuserSchema.safeParse(payload).success;
  const permissions = permissionsSchema.safeParse(payload).data?.permissions ?? [];
  return { isSuperuser, seesPatrols: isSuperuser || permissions.some((name) => viewPatrol.test(String(name))) };
};

/** What the site can do (site contract, 2). */
export const statusCalls = (wire: Wire): Pick<Site, 'patrolSchemas'> => ({
  async patrolSchemas() {
    const reply = await send(wire, { method: 'GET', path: 'status/', anonymous: true }, [404]);
    return reply.ok && flagSchema.safeParse(reply.payload()).success;
  },
});
