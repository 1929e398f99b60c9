import { startCluster, type Replica } from '../harness/cluster.ts';
import { usageOf } from './proc.ts';
import type { Figure } from './table.ts';
import { sleep, underLoad } from './under-load.ts';

/** Starting is not idling: compiling and joining are over after so long. */
const settleMs = 10_000;
const pidOf = (replica: Replica): number => replica.process().child.pid ?? 0;

const idleOf = async (replicas: readonly Replica[], seconds: number): Promise<number[]> => {
  const before = replicas.map((replica) => usageOf(pidOf(replica)).cpuSeconds);
  await sleep(seconds * 1000);
  return replicas.map(
    (replica, index) => ((usageOf(pidOf(replica)).cpuSeconds - (before[index] ?? 0)) / seconds) * 100,
  );
};

/** Each service alone on Kafka and Redis: CPU while nothing happens, memory under load. */
export const benchAlone = async (idleSeconds: number, loadSeconds: number): Promise<Figure[]> => {
  const park = 'aaaaaaaa-0000-4000-8000-000000000001';
  const cluster = await startCluster([park], {
    form: 'bundle',
    env: { LOG_LEVEL: 'warn', KAFKA_SESSION_TIMEOUT_MS: '10000' },
  });
  const replicas = [...cluster.ingesters, ...cluster.forwarders];
  try {
    await sleep(settleMs);
    const idle = await idleOf(replicas, idleSeconds);
    const { rate, memory } = await underLoad({ ...cluster, park }, replicas.map(pidOf), loadSeconds);
    return replicas.flatMap(({ service }, index) => {
      const { most = Number.NaN, growth = Number.NaN } = memory[index] ?? {};
      const cpu = idle[index] ?? Number.NaN;
      return [
        { name: `${service}: CPU while idle`, unit: '% of a core', value: cpu, bound: '< 1 %', holds: cpu < 1 },
        {
          name: `${service}: memory at most under ${rate} events/s for ${loadSeconds} s`,
          unit: 'MB',
          value: most,
          bound: '≤ 150 MB',
          holds: most <= 150,
        },
        {
          name: `${service}: memory, last third minus middle third`,
          unit: 'MB',
          value: growth,
        },
      ];
    });
  } finally {
    await cluster.remove();
  }
};
