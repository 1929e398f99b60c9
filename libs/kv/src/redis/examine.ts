import type { StoreServer } from '../port.ts';
import type { Client } from './client.ts';
import { clusterFault, FaultError, loadingFault, replicaFault } from './faults.ts';
import { scripts } from './space.ts';

/**
 * A write without effect that the server refuses whenever it refuses writes: the key never exists, so XX never holds.
 * It tells whether calls will work, and needs no cleaning up.
 */
export const probe: readonly string[] = ['SET', 'ranger-relay.probe', '', 'XX'];

const fields = (info: unknown): Map<string, string> =>
  new Map(
    String(info)
      .split(/\r?\n/)
      .map((line) => line.split(':', 2) as [string, string]),
  );

/** What the server says of itself; nothing when the user may not ask. */
const info = (client: Client, section: string): Promise<Map<string, string>> =>
  client.send(['INFO', section]).then(fields, () => new Map());

/**
 * Looks whether the server of a new connection is one that can be used, and gives it the scripts. Answers the name that the server has from one of its
 * starts to the next; undefined when the user may not ask.
 * @throws FaultError, or what the server refuses the probe with
 */
export const examine = async (client: Client): Promise<string | undefined> => {
  // Where scripts may not be loaded by themselves they travel with their first call.
  const loaded = scripts.map(({ text }) => client.send(['SCRIPT', 'LOAD', text]).catch(() => undefined));
  const probed = client.send(probe);
  // Looked at below, behind what explains the refusal better.
  probed.catch(() => undefined);
  const [cluster, replication, persistence, server] = await Promise.all([
    info(client, 'cluster'),
    info(client, 'replication'),
    info(client, 'persistence'),
    info(client, 'server'),
  ]);
  if (cluster.get('cluster_enabled') === '1') throw new FaultError(clusterFault);
  if (persistence.get('loading') === '1') throw new FaultError(loadingFault);
  if (replication.get('role') === 'slave') throw new FaultError(replicaFault);
  await Promise.all(loaded);
  await probed;
  return server.get('run_id');
};

/** What the server says of its clock and its memory. */
export const describeServer = async (send: (command: readonly string[]) => Promise<unknown>): Promise<StoreServer> => {
  const [time, memory] = await Promise.all([send(['TIME']), send(['INFO', 'memory']).then(fields, () => new Map())]);
  const [seconds = '0', micros = '0'] = time as readonly string[];
  return {
    now: Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000),
    maxMemoryBytes: Number(memory.get('maxmemory') ?? 0),
    evictionPolicy: memory.get('maxmemory_policy') ?? '',
  };
};
