import { z } from 'zod';

/** Value of `site-events`: one event of a site in one version, as the site has it. */
export const siteEventSchema = z.object({
  v: z.literal(1),
  integration_id: z.string(),
  /** Id of the event at the site. */
  event_id: z.string(),
  /** When the pull read it. */
  received_at: z.string(),
  /** Scheme, host and port of the site. */
  site: z.string(),
  /** Display name of its type; missing when the site names none. */
  type_name: z.string().optional(),
  /** Whether its files are copied too. */
  with_files: z.boolean(),
  /** The members of the site's row that are transferred. */
  row: z.record(z.string(), z.unknown()),
});

export type SiteEventRecord = z.infer<typeof siteEventSchema>;

/** Key of `site-events`: all versions of one event share it and so keep their order. */
export const siteEventKey = ({
  integration_id: integration,
  event_id: event,
}: Pick<SiteEventRecord, 'integration_id' | 'event_id'>): string => `${integration}:${event}`;
