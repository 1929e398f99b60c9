import { readSchedulerEntries, readSchedules, type ServiceSchedules } from '@ranger-relay/action-runner';
import { toRelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import type { Shell } from '@ranger-relay/terminal';

/** What a running service of a type has in the store. */
export interface Running {
  /** Who publishes the schedules now; null where nobody does or the store cannot be read. */
  readonly leader: string | null;
  readonly last_tick: string | null;
  /** Null when no service of the type runs, or the store cannot be read. */
  readonly told: ServiceSchedules | null;
}

/** Opens the store alone. @throws RelayError with a sentence when there is none */
export type OpenKv = () => Promise<KeyValue>;

const read = async (kv: KeyValue, slug: string): Promise<Running> => {
  try {
    const [{ leader, mark }, told] = await Promise.all([
      readSchedulerEntries(kv.state, slug),
      readSchedules(kv.state, slug),
    ]);
    return { leader, last_tick: mark, told };
  } finally {
    await kv.close();
  }
};

/** Reads it from the store; one that cannot be read is told and hinders nothing. */
export const readRunning = async (shell: Shell, openKv: OpenKv, slug: string): Promise<Running> => {
  try {
    return await read(await openKv(), slug);
  } catch (error) {
    shell.err(`What the running service has cannot be told: ${toRelayError(error).message}`);
    return { leader: null, last_tick: null, told: null };
  }
};
