import type { Cluster } from './cluster.ts';
import type { Load } from './load.ts';
import { isTaken } from './platform.ts';

/** An integration in `ranger-relay status`. */
export interface IntegrationState {
  readonly parked: number;
  readonly oldest_unsent_seconds: number;
  readonly dead_letters: number;
}

/** Asks `ranger-relay status` on the cluster. */
export const stateOf = async ({ relay }: Cluster, integration: string): Promise<IntegrationState> => {
  const { code, stdout, stderr } = await relay('status', '--output', 'json');
  if (code !== 0) throw new Error(`status ended with ${String(code)}: ${stderr}`);
  const { integrations } = JSON.parse(stdout) as { integrations: (IntegrationState & { id: string })[] };
  const found = integrations.find(({ id }) => id === integration);
  if (!found) throw new Error(`status does not name ${integration}`);
  return found;
};

/** Whether the flag is up that says that events of an integration are parked. */
export const isFlagged = async ({ redis }: Cluster, integration: string): Promise<boolean> =>
  (await redis.ask('EXISTS', `parked.${integration}`)) === '1';

/** Longest time from the acknowledged POST of an event of this load to its first arrival at the platform, ms. */
export const slowestArrival = async ({ platform }: Cluster, { sent }: Load): Promise<number> => {
  const arrived = new Map<string, number>();
  for (const line of (await platform.door()).filter(isTaken)) {
    const id = `${line.kind} ${line.item.source} ${String(line.item.additional['altitude'])}`;
    if (!arrived.has(id)) arrived.set(id, line.at);
  }
  return Math.max(
    ...sent.flatMap(({ source, n, text, acknowledgedAt }) =>
      (text ? ['observation', 'message'] : ['observation']).map(
        (kind) => (arrived.get(`${kind} ${source} ${n}`) ?? Infinity) - acknowledgedAt,
      ),
    ),
  );
};
