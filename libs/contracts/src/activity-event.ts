import { cutText } from '@ranger-relay/errors';
import { z } from 'zod';

/** Levels of custom entries, as numbers of the platform. */
export const activityLevel = { debug: 10, info: 20, warning: 30, error: 40 } as const;

type ActivityLevel = (typeof activityLevel)[keyof typeof activityLevel];

/** A failed call as an entry shows it. The platform refuses the entry when one of the texts is an object. */
type FailedCall = {
  readonly request_verb?: string | null;
  readonly request_url?: string | null;
  readonly request_data?: string | null;
  readonly server_response_status?: number | null;
  readonly server_response_body?: string | null;
};

/** Members of an entry besides the integration and its action or webhook, by what the entry reports. */
export interface ActivityPayloads {
  readonly Started: { readonly config_data: unknown };
  readonly Complete: { readonly config_data: unknown; readonly result: unknown };
  readonly Failed: FailedCall & {
    readonly config_data: unknown;
    readonly error: string;
    readonly error_traceback?: string | null;
  };
  readonly CustomLog: {
    readonly title: string;
    readonly level: ActivityLevel;
    readonly data?: unknown;
  };
}

/** What an entry reports about an action or webhook. */
export type ActivityKind = keyof ActivityPayloads;

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

const object = z.record(z.string(), z.unknown());

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
    config_data: object.optional(),
    data: object.nullish(),
    result: object.nullish(),
    error: z.string().optional(),
    error_traceback: z.string().nullish(),
    request_verb: z.string().nullish(),
    request_url: z.string().nullish(),
    request_data: z.string().nullish(),
    server_response_status: z.int().nullish(),
    server_response_body: z.string().nullish(),
  }),
});

export type ActivityEvent = z.infer<typeof activityEventSchema>;
