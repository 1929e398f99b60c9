import { readSchedulerEntries } from '@ranger-relay/action-runner';
import { toRelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import type { Shell } from '@ranger-relay/terminal';

/** Who publishes the schedules now; null where nobody does or the store cannot be read. */
export interface Leader {
  readonly leader: string | null;
  readonly last_tick: string | null;
}

/** Opens the store alone. @throws RelayError with a sentence when there is none */
export type OpenKv = () => Promise<KeyValue>;

const read = async (kv: KeyValue, slug: string): Promise<Leader> => {
  try {
    const { leader, mark } = await readSchedulerEntries(kv.state, slug);
    return { leader, last_tick: mark };
  } finally {
    await kv.close();
  }
};

/** Reads it from the store; one that cannot be read is told and hinders nothing. */
export const readLeader = async (shell: Shell, openKv: OpenKv, slug: string): Promise<Leader> => {
  try {
    return await read(await openKv(), slug);
  } catch (error) {
    shell.err(`Who is the leader cannot be told: ${toRelayError(error).message}`);
    return { leader: null, last_tick: null };
  }
};
