import { setTimeout as sleep } from 'node:timers/promises';
import { startCluster } from '../harness/cluster.ts';
import { generate } from '../harness/generator.ts';
import { install, type Installation } from '../harness/installation.ts';
import { usageOf } from './proc.ts';
import { atMost, type Figure } from './table.ts';

const park = 'aaaaaaaa-0000-4000-8000-000000000001';

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** A measured process. */
interface Process {
  readonly name: string;
  readonly pid: number;
}

/** CPU of processes that nothing is asked of: of each so many percent of a core at most. */
const atRest = async (processes: readonly Process[], seconds: number, max: number): Promise<Figure[]> => {
  const before = processes.map(({ pid }) => usageOf(pid).cpuSeconds);
  await sleep(seconds * 1000);
  return processes.map(({ name, pid }, index) => {
    const percent = ((usageOf(pid).cpuSeconds - (before[index] ?? 0)) / seconds) * 100;
    return atMost(`${name}: CPU while idle`, '% of a core', percent, max);
  });
};

/** Fifty devices send for so long; the memory of the processes is taken every second: of each so many MB at most. */
const underLoad = async (
  { webhookUrl, token }: Pick<Installation, 'webhookUrl' | 'token'>,
  processes: readonly Process[],
  { seconds, maxMB }: { readonly seconds: number; readonly maxMB: number },
): Promise<Figure[]> => {
  const samples = processes.map((): number[] => []);
  const end = performance.now() + seconds * 1000;
  const load = generate({
    url: `${webhookUrl}?integration_id=${park}`,
    token,
    devices: 50,
    events: 50 * 100_000,
    perPost: 10,
    textEvery: 20,
    pauseMs: 400,
    until: () => performance.now() > end,
  });
  while (performance.now() < end) {
    await sleep(1_000);
    processes.forEach(({ pid }, index) => samples[index]?.push(usageOf(pid).rssBytes / 1e6));
  }
  await load.finished;
  const rate = Math.round(load.acknowledged() / seconds);
  return processes.flatMap(({ name }, index) => {
    const own = samples[index] ?? [];
    const third = Math.max(1, Math.floor(own.length / 3));
    const growth = mean(own.slice(-third)) - mean(own.slice(third, 2 * third));
    return [
      atMost(`${name}: memory at most under ${rate} events/s for ${seconds} s`, 'MB', Math.max(...own), maxMB),
      { name: `${name}: memory, last third minus middle third`, unit: 'MB', value: growth },
    ];
  });
};

/** `up` as a process: time to ready, CPU while nothing happens, memory under load. */
export const benchWhole = async (idleSeconds: number, seconds: number): Promise<Figure[]> => {
  const here = await install([park], 'bundle');
  try {
    const start = performance.now();
    const { child } = await here.up({ AUTH_TOKEN: 'bench-token' });
    const readySeconds = (performance.now() - start) / 1000;
    const processes = [{ name: 'up', pid: child.pid ?? 0 }];
    await sleep(2_000);
    const idle = await atRest(processes, idleSeconds, 2);
    const memory = await underLoad(here, processes, { seconds, maxMB: 200 });
    return [atMost('up: time from start to ready', 's', readySeconds, 2), ...idle, ...memory];
  } finally {
    await here.remove();
  }
};

/** Starting is not idling: compiling and joining are over after so long. */
const settleMs = 10_000;

/** Each service alone on Kafka and Redis: CPU while nothing happens, memory under load. */
export const benchAlone = async (idleSeconds: number, seconds: number): Promise<Figure[]> => {
  const env = { LOG_LEVEL: 'warn', KAFKA_SESSION_TIMEOUT_MS: '10000' };
  const cluster = await startCluster([park], { form: 'bundle', env });
  const processes = [...cluster.ingesters, ...cluster.forwarders].map((replica) => {
    return { name: replica.service, pid: replica.process().child.pid ?? 0 };
  });
  try {
    await sleep(settleMs);
    const idle = await atRest(processes, idleSeconds, 1);
    return [...idle, ...(await underLoad(cluster, processes, { seconds, maxMB: 150 }))];
  } finally {
    await cluster.remove();
  }
};
