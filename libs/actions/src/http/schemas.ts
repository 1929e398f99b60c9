import { idSchema, triggeredBySchema } from '@ranger-relay/contracts';
import { z } from 'zod';
import { skipReasons } from '../execute/request.ts';

const name = z.string().min(1).max(200);

const unsavedSchema = z.looseObject({
  type_value: z.string().nullish(),
  base_url: z.string().nullish(),
  configurations: z.array(z.looseObject({ action_value: name, data: z.unknown().optional() })).nullish(),
});

/** Body of `POST /v1/actions/execute`. */
export const executeBodySchema = z
  .looseObject({
    integration_id: idSchema
      .min(1)
      .max(200)
      .nullish()
      .describe('null for an integration that is not saved; then integration_state is needed'),
    action_id: name,
    run_in_background: z.boolean().nullish(),
    config_overrides: z.record(z.string(), z.unknown()).nullish().describe('win over the stored configuration'),
    triggered_by: triggeredBySchema,
    integration_state: unsavedSchema.nullish(),
  })
  .refine(({ integration_id: id, integration_state: state }) => Boolean(id ?? state), {
    path: ['integration_id'],
    message: 'Field required',
  });

export type ExecuteBody = z.infer<typeof executeBodySchema>;
export type UnsavedBody = z.infer<typeof unsavedSchema>;

/** Response of the health check. */
export const healthSchema = z.object({ status: z.literal('healthy') });

/** Any JSON value. */
export const anySchema = z.unknown();

/** Response to a skipped run. */
export const skippedSchema = z.object({ skipped: z.literal(true), reason: z.enum(skipReasons) });

/** Response to a run that is published to the commands topic. */
export const messageSchema = z.object({ message: z.string() });

/** Response of `POST /config-events/`. */
export const configEventAnswerSchema = z.object({ status: z.enum(['success', 'error']), message: z.string() });

/** Error body of a failed run. */
export const failureSchema = z.object({
  detail: z.object({
    integration_id: z.string().nullable(),
    action_id: z.string().nullable(),
    config_data: z.unknown(),
    error: z.string(),
    error_traceback: z.string(),
    request_verb: z.string().optional(),
    request_url: z.string().optional(),
    request_data: z.string().optional(),
    server_response_status: z.number().int().optional(),
    server_response_body: z.string().optional(),
    error_type: z.enum(['auth', 'connectivity', 'timeout', 'rate_limit', 'bad_response']).nullable(),
  }),
});

/** Error body of an invalid request. */
export const malformedSchema = z.object({
  detail: z.array(z.object({ loc: z.array(z.union([z.string(), z.number()])), msg: z.string(), type: z.string() })),
});

/** Error body of all other errors. */
export const errorSchema = z.object({ detail: z.object({ code: z.string(), error: z.string() }) });
