import { setTimeout as sleep } from 'node:timers/promises';
import { install } from '../harness/installation.ts';
import { atMost, type Figure } from './table.ts';
import { atRest, underLoad } from './under-load.ts';

/** `up` as a process: time to ready, CPU while nothing happens, memory under load. */
export const benchWhole = async (idleSeconds: number, seconds: number): Promise<Figure[]> => {
  const park = 'aaaaaaaa-0000-4000-8000-000000000001';
  const here = await install([park], 'bundle');
  try {
    const start = performance.now();
    const { child } = await here.up({ AUTH_TOKEN: 'bench-token' });
    const readySeconds = (performance.now() - start) / 1000;
    const processes = [{ name: 'up', pid: child.pid ?? 0 }];
    await sleep(2_000);
    const idle = await atRest(processes, idleSeconds, 2);
    const memory = await underLoad({ ...here, park }, processes, { seconds, maxMB: 200 });
    return [atMost('up: time from start to ready', 's', readySeconds, 2), ...idle, ...memory];
  } finally {
    await here.remove();
  }
};
