import { z } from 'zod';
import type { LetterHead } from '../dlq/letters.ts';
import { sosCallSchema } from '../sos/model.ts';

/** One service of the process and its readiness. */
export const serviceStatusSchema = z.object({
  name: z.string(),
  ready: z.boolean(),
  /** Reasons why it is not ready. */
  failing: z.array(z.string()).default([]),
});

/** A condition that holds now. */
export const problemSchema = z.object({
  /** `critical`: a call for help may not be received, or a service does not work. */
  level: z.enum(['warning', 'critical']),
  /** Its name in the table of conditions. */
  condition: z.string(),
  /** An integration, device, action, topic or service; '' for the installation. */
  subject: z.string(),
  /** ISO. */
  since: z.string(),
  /** One sentence without a full stop. */
  text: z.string(),
  /** What to type or to do. */
  remedy: z.string(),
  /** Runbook in k8s/runbooks. */
  runbook: z.string(),
  /** The condition that it follows from, whose text says so; null when it stands alone. */
  follows_from: z.string().nullable().default(null),
});

/** State of the whole chain, in one line. */
export const verdictSchema = z.object({
  level: z.enum(['ok', 'warning', 'critical']),
  text: z.string(),
  /** All problems, the worst first. */
  problems: z.array(problemSchema),
});

/** One integration: items accepted since the store exists, and waiting events. */
export const integrationStatusSchema = z.object({
  id: z.string(),
  /** Its name at the platform; null when unknown. */
  name: z.string().nullable().default(null),
  accepted_observations: z.number(),
  accepted_messages: z.number(),
  /** When its newest event was received, ISO. */
  last_event_at: z.string().nullable(),
  /** Age of the oldest event that the platform has not accepted; 0 when none waits. */
  oldest_unsent_seconds: z.number(),
  /** Events on the way that are not parked. */
  waiting: z.number(),
  /** SOS events among them. */
  sos: z.number(),
  /** Events on the parked topic. */
  parked: z.number(),
  /** Live dead letters. */
  dead_letters: z.number(),
});

/** Texts to devices of the last eight days, one for each device. */
export const textCountsSchema = z.object({
  /** Accepted by the vendor. */
  accepted: z.number(),
  failed: z.number(),
  /** On the way. */
  pending: z.number(),
  /** Perhaps sent. */
  unknown: z.number(),
  /** Age of the oldest that is pending or unknown; 0 when none is. */
  oldest_undecided_seconds: z.number(),
});

/** The last end of an action of an integration, as far back as `up` runs. */
export const lastRunSchema = z.object({
  integration_id: z.string().nullable(),
  action_id: z.string(),
  /** ISO. */
  ended_at: z.string(),
  outcome: z.enum(['complete', 'failed']),
});

/** Format of `status --output json` and `/status.json`. */
export const statusSchema = z.object({
  verdict: verdictSchema.default({ level: 'ok', text: '', problems: [] }),
  /** Those of the last 30 days, as `sos` prints them. */
  sos: z.array(sosCallSchema).default([]),
  services: z.array(serviceStatusSchema),
  integrations: z.array(integrationStatusSchema),
  texts: textCountsSchema.default({ accepted: 0, failed: 0, pending: 0, unknown: 0, oldest_undecided_seconds: 0 }),
  runs: z.array(lastRunSchema).default([]),
  /** Dead letters that name no integration. */
  unassigned_dead_letters: z.number().default(0),
  /** The process that answered; absent in a status that was computed on a cluster. */
  up: z.object({ id: z.string(), data_dir: z.string(), platform: z.enum(['real', 'simulated']) }).optional(),
});

/** Told before all else: what works between simulators says nothing of real devices. */
export const simulatedText = 'SIMULATED: no platform is configured, and nothing of a real device is received';

export type Problem = z.infer<typeof problemSchema>;
export type Verdict = z.infer<typeof verdictSchema>;
export type ServiceStatus = z.infer<typeof serviceStatusSchema>;
export type IntegrationStatus = z.infer<typeof integrationStatusSchema>;
export type TextCounts = z.infer<typeof textCountsSchema>;
export type LastRun = z.infer<typeof lastRunSchema>;
export type Status = z.infer<typeof statusSchema>;

/** The status with the sums that the page draws. */
export interface Overview {
  readonly status: Status;
  readonly totals: {
    readonly accepted_observations: number;
    readonly accepted_messages: number;
    /** Events on the way to the platform that are not parked. */
    readonly waiting: number;
    readonly parked: number;
    readonly oldest_unsent_seconds: number;
    readonly dead_letters: number;
  };
  /** The newest dead letters, those of an SOS first. */
  readonly letters: readonly LetterHead[];
}
