import {
  announcedTypes,
  readSchedulerEntries,
  readSchedules,
  type ServiceSchedules,
} from '@ranger-relay/action-runner';
import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { KeyValue, KvSpace } from '@ranger-relay/kv';
import type { PlatformApi } from '@ranger-relay/platform';
import type { Shell } from '@ranger-relay/terminal';
import { z } from 'zod';
import { type StoreOpeners, withOpen } from '../program/stores.ts';

const integrationSchema = z.looseObject({
  enabled: z.boolean(),
  configurations: z
    .array(
      z.looseObject({
        action: z.looseObject({ value: z.string() }),
        data: z.looseObject({ run_on_schedule: z.unknown().optional() }).nullish(),
      }),
    )
    .catch([]),
});

/** Whether a schedule is in effect for one integration. */
export type Runs = 'yes' | 'integration disabled' | 'no configuration' | 'run_on_schedule off';

/** Reads it for each action. @throws RelayError `integration_unknown` and those of the platform */
export const runsOf = async (api: PlatformApi, id: string): Promise<(actionId: string) => Runs> => {
  const found = await api.get(`/v2/integrations/${encodeURIComponent(id)}/`);
  const parsed = integrationSchema.safeParse(found);
  if (!parsed.success) throw new RelayError('integration_unknown', { details: { integration: id.slice(0, 100) } });
  const { enabled, configurations } = parsed.data;
  return (actionId) => {
    if (!enabled) return 'integration disabled';
    const configuration = configurations.find(({ action }) => action.value === actionId);
    if (!configuration) return 'no configuration';
    return configuration.data?.run_on_schedule === true ? 'yes' : 'run_on_schedule off';
  };
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
