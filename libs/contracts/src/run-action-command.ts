import { z } from 'zod';
import { idSchema } from './id.ts';

/** The trigger of a run: a schedule, or a user. */
export type TriggeredBy = 'auto' | 'manual';

const asWord = (value: unknown): unknown => {
  if (typeof value !== 'string') return value ?? undefined;
  const word = value.trim().toLowerCase();
  return word === '' || word === 'none' || word === 'null' ? undefined : word;
};

const asTrigger = (value: unknown): TriggeredBy | undefined => {
  const word = asWord(value);
  return word === undefined || word === 'manual' ? word : 'auto';
};

/** Whether the trigger is set to something else than `auto` and `manual`; it then counts as `auto`. */
export const isUnknownTrigger = (value: unknown): boolean =>
  !['auto', 'manual', undefined].includes(asWord(value) as string);

/** `auto` or `manual` in any case of letters; any other word becomes `auto`, and an empty value undefined. */
export const triggeredBySchema = z.preprocess(asTrigger, z.enum(['auto', 'manual']).optional());

const name = z.string().min(1).max(200);

/**
 * A command to run an action (platform contract, push envelopes): the data of `POST /` and the value of the commands topic. Requires only the
 * two ids; unknown members are kept.
 */
export const runActionCommandSchema = z.looseObject({
  event_id: idSchema.max(200).nullish(),
  timestamp: z.string().nullish(),
  schema_version: z.string().nullish(),
  event_type: z.string().nullish(),
  payload: z.looseObject({ self_triggered: z.unknown().optional() }).nullish(),
  integration_id: idSchema.min(1).max(200),
  action_id: name,
  config_overrides: z.record(z.string(), z.unknown()).nullish(),
  triggered_by: triggeredBySchema,
  scheduled_at: z.string().nullish(),
});

export type RunActionCommand = z.infer<typeof runActionCommandSchema>;

/** The content of a new command. */
export interface CommandDraft {
  readonly eventId: string;
  /** ms since 1970. */
  readonly at: number;
  readonly integrationId: string;
  readonly actionId: string;
  readonly overrides?: Readonly<Record<string, unknown>> | null;
  readonly triggeredBy: TriggeredBy;
  /** Instant of the schedule, ms since 1970; default `at`. */
  readonly scheduledAt?: number;
  /** A run that continues where the previous one stopped. */
  readonly selfTriggered?: boolean;
}

/** Key of the commands topic: commands of one action of one integration keep their order. */
export const commandKey = (integrationId: string, actionId: string): string => `${integrationId}:${actionId}`;

/** Creates a command in the form that our processes publish. */
export const newCommand = (draft: CommandDraft): RunActionCommand => ({
  event_id: draft.eventId,
  timestamp: new Date(draft.at).toISOString(),
  schema_version: 'v1',
  event_type: 'RunIntegrationAction',
  payload: draft.selfTriggered ? { self_triggered: true } : {},
  integration_id: draft.integrationId,
  action_id: draft.actionId,
  config_overrides: draft.overrides ?? null,
  triggered_by: draft.triggeredBy,
  scheduled_at: new Date(draft.scheduledAt ?? draft.at).toISOString(),
});
