import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from '../harness/cluster.ts';
import type { Figure } from './table.ts';
import { atRest, underLoad } from './under-load.ts';

/** Starting is not idling: compiling and joining are over after so long. */
const settleMs = 10_000;

/** Each service alone on Kafka and Redis: CPU while nothing happens, memory under load. */
export const benchAlone = async (idleSeconds: number, seconds: number): Promise<Figure[]> => {
  const park = 'aaaaaaaa-0000-4000-8000-000000000001';
  const env = { LOG_LEVEL: 'warn', KAFKA_SESSION_TIMEOUT_MS: '10000' };
  const cluster = await startCluster([park], { form: 'bundle', env });
  const processes = [...cluster.ingesters, ...cluster.forwarders].map((replica) => {
    return { name: replica.service, pid: replica.process().child.pid ?? 0 };
  });
  try {
    await sleep(settleMs);
    const idle = await atRest(processes, idleSeconds, 1);
    return [...idle, ...(await underLoad({ ...cluster, park }, processes, { seconds, maxMB: 150 }))];
  } finally {
    await cluster.remove();
  }
};
