import { z } from 'zod';

export const configEventTypeSchema = z.enum([
  'IntegrationCreated',
  'IntegrationUpdated',
  'IntegrationDeleted',
  'ActionConfigCreated',
  'ActionConfigUpdated',
  'ActionConfigDeleted',
]);

/** Value of `config-events`: a change of an integration or of one of its configurations. */
export const configEventSchema = z.object({
  event_id: z.string(),
  timestamp: z.string(),
  schema_version: z.literal('v1'),
  event_type: configEventTypeSchema,
  payload: z.looseObject({}),
});

export type ConfigEventType = z.infer<typeof configEventTypeSchema>;
export type ConfigEvent = z.infer<typeof configEventSchema>;
