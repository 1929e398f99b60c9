import { z } from 'zod';

/** Who asked for a run: a schedule, or a person. */
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

/** Whether something is said of who asked, and neither `auto` nor `manual`: it counts as `auto`. */
export const isUnknownTrigger = (value: unknown): boolean =>
  !['auto', 'manual', undefined].includes(asWord(value) as string);

/** `auto` or `manual` in any case, any other word is `auto`; what says nothing is undefined. */
export const triggeredBySchema = z.preprocess(asTrigger, z.enum(['auto', 'manual']).optional());

const name = z.string().min(1).max(200);

/**
 * A command to run an action (platform contract, push envelopes): the data of `POST /` and the value of the commands topic. Only the two
 * ids are needed; unknown members pass.
 */
export const runActionCommandSchema = z.looseObject({
  event_id: z.string().max(200).nullish(),
  timestamp: z.string().nullish(),
  schema_version: z.string().nullish(),
  event_type: z.string().nullish(),
  payload: z.looseObject({ self_triggered: z.unknown().optional() }).nullish(),
  integration_id: name,
  action_id: name,
  config_overrides: z.record(z.string(), z.unknown()).nullish(),
  triggered_by: triggeredBySchema,
  scheduled_at: z.string().nullish(),
});

export type RunActionCommand = z.infer<typeof runActionCommandSchema>;

/** What a new command says. */
export interface CommandDraft {
  readonly eventId: string;
  /** ms since 1970. */
  readonly at: number;
  readonly integrationId: string;
  readonly actionId: string;
  readonly overrides?: Readonly<Record<string, unknown>> | null;
  readonly triggeredBy: TriggeredBy;
  /** ms since 1970: the instant of the schedule it is for; `at` when left out. */
  readonly scheduledAt?: number;
  /** A run that goes on where the one before has stopped. */
  readonly selfTriggered?: boolean;
}

/** Key of the commands topic: commands of one action of one integration keep their order. */
export const commandKey = (integrationId: string, actionId: string): string => `${integrationId}:${actionId}`;

/** A command in the one form that we publish. */
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
