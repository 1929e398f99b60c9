import { generate } from '../harness/generator.ts';
import { usageOf } from './proc.ts';

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** Where the load goes. */
export interface LoadTarget {
  readonly webhookUrl: string;
  readonly token: string;
  readonly park: string;
}

/** Memory of one process under load, MB: at most, and how much more in the last third than in the middle one. */
export interface Memory {
  readonly most: number;
  readonly growth: number;
}

const memoryOf = (samples: readonly number[]): Memory => {
  const third = Math.max(1, Math.floor(samples.length / 3));
  return { most: Math.max(...samples), growth: mean(samples.slice(-third)) - mean(samples.slice(third, 2 * third)) };
};

/** Fifty devices send for so long; the memory of the processes is taken every second. Answers events a second, and memory by process. */
export const underLoad = async (
  { webhookUrl, token, park }: LoadTarget,
  pids: readonly number[],
  seconds: number,
): Promise<{ readonly rate: number; readonly memory: readonly Memory[] }> => {
  const samples = pids.map((): number[] => []);
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
    pids.forEach((pid, index) => samples[index]?.push(usageOf(pid).rssBytes / 1e6));
  }
  await load.finished;
  return { rate: Math.round(load.acknowledged() / seconds), memory: samples.map(memoryOf) };
};
