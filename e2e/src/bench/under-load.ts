import { setTimeout as sleep } from 'node:timers/promises';
import { generate } from '../harness/generator.ts';
import { usageOf } from './proc.ts';
import { atMost, type Figure } from './table.ts';

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** A measured process. */
export interface Process {
  readonly name: string;
  readonly pid: number;
}

/** CPU of processes that nothing is asked of: of each so many percent of a core at most. */
export const atRest = async (processes: readonly Process[], seconds: number, max: number): Promise<Figure[]> => {
  const before = processes.map(({ pid }) => usageOf(pid).cpuSeconds);
  await sleep(seconds * 1000);
  return processes.map(({ name, pid }, index) => {
    const percent = ((usageOf(pid).cpuSeconds - (before[index] ?? 0)) / seconds) * 100;
    return atMost(`${name}: CPU while idle`, '% of a core', percent, max);
  });
};

/** Where the load goes. */
export interface LoadTarget {
  readonly webhookUrl: string;
  readonly token: string;
  readonly park: string;
}

/** Fifty devices send for so long; the memory of the processes is taken every second: of each so many MB at most. */
export const underLoad = async (
  { webhookUrl, token, park }: LoadTarget,
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
