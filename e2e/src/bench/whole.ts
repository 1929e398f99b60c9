import type { Figure } from './table.ts';
import { usageOf } from './proc.ts';
import { install } from '../harness/installation.ts';
import { generate } from '../harness/generator.ts';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;

/** `up` as a process: time to ready, CPU while nothing happens, memory under load. */
export const benchWhole = async (idleSeconds: number, loadSeconds: number): Promise<Figure[]> => {
  const park = 'aaaaaaaa-0000-4000-8000-000000000001';
  const here = await install([park], 'bundle');
  try {
    const start = performance.now();
    const started = await here.up();
    const readySeconds = (performance.now() - start) / 1000;
    const pid = started.child.pid ?? 0;
    await sleep(2_000);
    const idleFrom = usageOf(pid).cpuSeconds;
    await sleep(idleSeconds * 1000);
    const idle = ((usageOf(pid).cpuSeconds - idleFrom) / idleSeconds) * 100;

    const samples: number[] = [];
    const end = performance.now() + loadSeconds * 1000;
    const load = generate({
      url: `${here.webhookUrl}?integration_id=${park}`,
      token: here.token,
      devices: 50,
      events: 50 * 100_000,
      perPost: 10,
      textEvery: 20,
      pauseMs: 400,
      until: () => performance.now() > end,
    });
    while (performance.now() < end) {
      await sleep(1_000);
      samples.push(usageOf(pid).rssBytes / 1e6);
    }
    await load.finished;
    const rate = load.acknowledged() / loadSeconds;
    const third = Math.max(1, Math.floor(samples.length / 3));
    return [
      {
        name: 'up: time from start to ready',
        unit: 's',
        value: readySeconds,
        bound: '≤ 2 s',
        holds: readySeconds <= 2,
      },
      { name: 'up: CPU while idle', unit: '% of a core', value: idle, bound: '< 2 %', holds: idle < 2 },
      {
        name: `up: memory at most under ${Math.round(rate)} events/s for ${loadSeconds} s`,
        unit: 'MB',
        value: Math.max(...samples),
        bound: '≤ 200 MB',
        holds: Math.max(...samples) <= 200,
      },
      {
        name: 'up: memory, last third minus middle third',
        unit: 'MB',
        value: mean(samples.slice(-third)) - mean(samples.slice(third, 2 * third)),
      },
    ];
  } finally {
    await here.remove();
  }
};
