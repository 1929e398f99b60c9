import { z } from 'zod';
import { canonicalId } from './id.ts';

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

/** Key of a config event on its topic: the integration that it concerns. */
export const configEventKey = ({ event_type: type, payload }: ConfigEvent): string => {
  const id = type.startsWith('Integration') ? payload['id'] : (payload['integration_id'] ?? payload['integration']);
  return canonicalId(String(id));
};
