import { isRelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import type { EventType, Site } from '../port.ts';
import type { SiteClient } from '../client/client.ts';
import { activeFlag, looseText, read, readAll } from './list.ts';

const category = z.union([z.object({ value: z.string() }).transform(({ value }) => value), looseText]);
const typesSchema = z.array(
  z.object({
    value: z.string(),
    category,
    is_active: activeFlag,
    is_collection: z
      .boolean()
      .nullish()
      .transform((flag) => flag ?? false),
  }),
);

/** Lists of the new and of the old kind of types. */
const paths = ['/api/v2.0/activity/eventtypes', 'activity/events/eventtypes'];

const query = { include_inactive: 'true', include_schema: 'false' };

/** Types of events (additions to the site contract, 7). */
export const eventTypeCalls = (client: SiteClient): Pick<Site, 'eventTypes'> => ({
  async eventTypes() {
    const types: EventType[] = [];
    const missing: unknown[] = [];
    for (const path of paths) {
      try {
        const { rows, target } = await readAll(client, { path, query });
        types.push(...read(typesSchema, rows, target));
      } catch (error) {
        if (!isRelayError(error, 'site_not_found')) throw error;
        missing.push(error);
      }
    }
    // Some sites have types of one kind only.
    if (missing.length === paths.length) throw missing[0];
    return types;
  },
});
