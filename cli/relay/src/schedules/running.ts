import {
  announcedTypes,
  readSchedulerEntries,
  readSchedules,
  type ServiceSchedules,
} from '@ranger-relay/action-runner';
import { type Catalogue, explain, type SkipReason } from '@ranger-relay/actions';
import { toRelayError } from '@ranger-relay/errors';
import type { KeyValue, KvSpace } from '@ranger-relay/kv';
import type { Shell } from '@ranger-relay/terminal';
import { z } from 'zod';
import type { Look } from '../actions/look.ts';
import { type StoreOpeners, withOpen } from '../program/stores.ts';

/** Words for a schedule that has no effect for one integration. */
const obstacles: Readonly<Record<SkipReason, string>> = {
  integration_disabled: 'integration disabled',
  no_configuration: 'no configuration',
  invalid_configuration: 'invalid configuration',
  run_on_schedule_disabled: 'run_on_schedule off',
  already_running: 'already running',
};

/** An action that this version does not have: of its configuration the switch alone is known. */
const unknownAction = (id: string) =>
  ({ id, type: 'pull', config: z.looseObject({ run_on_schedule: z.unknown().optional() }) }) as const;

/**
 * What the runtime would decide about the scheduled run of an action: `yes`, or what is in the way.
 * @throws RelayError `integration_unknown` and those of the platform
 */
export const runsOf = async (
  look: Look,
  { get }: Pick<Catalogue, 'get'>,
  integrationId: string,
  actionId: string,
): Promise<string> => {
  const { value: integration } = await look.integration(integrationId);
  const { value: stored } = await look.config(integrationId, actionId);
  const action = get(actionId) ?? unknownAction(actionId);
  const { enabled } = integration;
  const facts = {
    integrationId,
    action,
    enabled,
    stored,
    overrides: null,
    triggeredBy: 'auto',
    data: undefined,
  } as const;
  const { decision } = explain(facts);
  return decision.kind === 'skip' ? obstacles[decision.reason] : 'yes';
};

/** Entry of a running service of a type in the store. */
export interface Running {
  /** Integration type of the service. */
  readonly type: string;
  /** The process that publishes the schedules; null when there is none or the store cannot be read. */
  readonly leader: string | null;
  readonly last_tick: string | null;
  /** Null when no service of the type runs, or the store cannot be read. */
  readonly told: ServiceSchedules | null;
}

/** The requested type; when only a service of another type runs, that type. */
const typeOf = async (state: KvSpace, slug: string): Promise<string> => {
  if (await readSchedules(state, slug)) return slug;
  const types = await announcedTypes(state);
  return types.length === 1 ? (types[0] ?? slug) : slug;
};

const read = async ({ state }: KeyValue, slug: string): Promise<Running> => {
  const type = await typeOf(state, slug);
  const [{ leader, mark }, told] = await Promise.all([readSchedulerEntries(state, type), readSchedules(state, type)]);
  return { type, leader, last_tick: mark, told };
};

/** Reads it from the store; an unreadable entry is reported and does not fail the command. */
export const readRunning = async (shell: Shell, openKv: StoreOpeners['openKv'], slug: string): Promise<Running> => {
  try {
    return await withOpen(openKv, (kv) => read(kv, slug));
  } catch (error) {
    shell.err(`The schedules of the running service are unknown: ${toRelayError(error).message}`);
    return { type: slug, leader: null, last_tick: null, told: null };
  }
};
