import { cutText } from '@ranger-relay/errors';
import { z } from 'zod';

/** Levels of custom entries, as numbers of the platform. */
export const activityLevel = { debug: 10, info: 20, warning: 30, error: 40 } as const;

export const activityEventTypeSchema = z.enum([
  'IntegrationActionStarted',
  'IntegrationActionComplete',
  'IntegrationActionFailed',
  'IntegrationActionCustomLog',
  'IntegrationWebhookStarted',
  'IntegrationWebhookComplete',
  'IntegrationWebhookFailed',
  'IntegrationWebhookCustomLog',
]);

/** Maximum length of a title on the platform, code points. */
const titleLimit = 200;

/** Value of `integration-events`: one entry of the activity log. */
export const activityEventSchema = z.object({
  event_id: z.string(),
  timestamp: z.string(),
  schema_version: z.literal('v1'),
  event_type: activityEventTypeSchema,
  payload: z.looseObject({
    integration_id: z.string().nullable(),
    action_id: z.string().optional(),
    webhook_id: z.string().optional(),
    title: z
      .string()
      .refine((title) => cutText(title, titleLimit) === title)
      .optional(),
    level: z.union([z.literal(10), z.literal(20), z.literal(30), z.literal(40)]).optional(),
  }),
});

export type ActivityEventType = z.infer<typeof activityEventTypeSchema>;
export type ActivityEvent = z.infer<typeof activityEventSchema>;
