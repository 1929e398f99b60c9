import { generate } from '../harness/generator.ts';
import { startCluster, type Replica } from '../harness/cluster.ts';
import { usageOf } from './proc.ts';
import type { Figure } from './table.ts';

/** Starting is not idling: compiling and joining are over after so long. */
const settleMs = 10_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
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
    const samples = replicas.map((): number[] => []);
    const end = performance.now() + loadSeconds * 1000;
    const load = generate({
      url: `${cluster.webhookUrl}?integration_id=${park}`,
      token: cluster.token,
      devices: 50,
      events: 50 * 100_000,
      perPost: 10,
      textEvery: 20,
      pauseMs: 400,
      until: () => performance.now() > end,
    });
    while (performance.now() < end) {
      await sleep(1_000);
      replicas.forEach((replica, index) => samples[index]?.push(usageOf(pidOf(replica)).rssBytes / 1e6));
    }
    await load.finished;
    const rate = Math.round(load.acknowledged() / loadSeconds);
    return replicas.flatMap(({ service }, index) => {
      const memory = samples[index] ?? [];
      const third = Math.max(1, Math.floor(memory.length / 3));
      const cpu = idle[index] ?? Number.NaN;
      const most = Math.max(...memory);
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
          value: mean(memory.slice(-third)) - mean(memory.slice(third, 2 * third)),
        },
      ];
    });
  } finally {
    await cluster.remove();
  }
};
