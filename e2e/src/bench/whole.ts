import type { Figure } from './table.ts';
import { usageOf } from './proc.ts';
import { install } from '../harness/installation.ts';
import { sleep, underLoad } from './under-load.ts';

/** `up` as a process: time to ready, CPU while nothing happens, memory under load. */
export const benchWhole = async (idleSeconds: number, loadSeconds: number): Promise<Figure[]> => {
  const park = 'aaaaaaaa-0000-4000-8000-000000000001';
  const here = await install([park], 'bundle');
  try {
    const start = performance.now();
    const started = await here.up({ AUTH_TOKEN: 'bench-token' });
    const readySeconds = (performance.now() - start) / 1000;
    const pid = started.child.pid ?? 0;
    await sleep(2_000);
    const idleFrom = usageOf(pid).cpuSeconds;
    await sleep(idleSeconds * 1000);
    const idle = ((usageOf(pid).cpuSeconds - idleFrom) / idleSeconds) * 100;

    const { rate, memory } = await underLoad({ ...here, park }, [pid], loadSeconds);
    const { most = Number.NaN, growth = Number.NaN } = memory[0] ?? {};
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
        name: `up: memory at most under ${rate} events/s for ${loadSeconds} s`,
        unit: 'MB',
        value: most,
        bound: '≤ 200 MB',
        holds: most <= 200,
      },
      {
        name: 'up: memory, last third minus middle third',
        unit: 'MB',
        value: growth,
      },
    ];
  } finally {
    await here.remove();
  }
};
