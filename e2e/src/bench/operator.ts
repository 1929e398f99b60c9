import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { startChild } from './child.ts';
import { type OperatorWorld, startOperatorWorld } from './operator-world.ts';
import { peakOf, usageOf } from './proc.ts';
import type { Figure } from './table.ts';

/** How Node runs a service in its image. */
const asInImage = ['--max-semi-space-size=6', '--optimize-for-size'];

/** Bundles a file beside this one, as the services are bundled. Returns the address of the bundle. */
const bundled = async (file: string): Promise<string> => {
  const build = await rolldown({
    input: fileURLToPath(new URL(file, import.meta.url)),
    platform: 'node',
    resolve: { conditionNames: ['@ranger-relay/source', 'node', 'import', 'default'] },
  });
  const path = fileURLToPath(new URL(`../../out/${file.replace(/\.ts$/, '.js')}`, import.meta.url));
  await build.write({ file: path, format: 'esm', codeSplitting: false });
  await build.close();
  return pathToFileURL(path).href;
};

const mostMB = 120;
const restSeconds = 5;

const allReady = async (world: OperatorWorld, count: number): Promise<void> => {
  const until = performance.now() + 300_000;
  while (world.ready() < count) {
    if (performance.now() > until) throw new Error(`only ${world.ready()} of ${count} objects are Ready`);
    await sleep(20);
  }
};

/** The operator before so many PatrolSyncs at once: planned, approved, applied and checked by Jobs that end at once. */
export const benchOperator = async (count: number): Promise<Figure[]> => {
  const world = await startOperatorWorld();
  const program = await bundled('operator-child.ts');
  const operator = await startChild<{ leads: boolean }>(program, [world.url], {}, asInImage);
  try {
    const [callsBefore, changesBefore] = [world.calls(), world.changes()];
    const begin = performance.now();
    const cpuBefore = usageOf(operator.pid).cpuSeconds;
    world.make(count);
    await allReady(world, count);
    const seconds = (performance.now() - begin) / 1000;
    const cpu = usageOf(operator.pid).cpuSeconds - cpuBefore;
    await sleep(restSeconds * 1000);
    const calls = world.calls();
    const all = calls.all - callsBefore.all;
    const allowed =
      world.changes() - changesBefore + (calls.watches - callsBefore.watches) + (calls.lists - callsBefore.lists);
    const peak = peakOf(operator.pid) / 1e6;
    const name = `operator: ${count} PatrolSyncs at once`;
    return [
      { name: `${name}, until each is applied and checked`, unit: 's', value: seconds },
      { name: `${name}, memory at most`, unit: 'MB', value: peak, bound: `≤ ${mostMB} MB`, holds: peak <= mostMB },
      {
        name: `${name}, calls to the API server`,
        unit: 'calls',
        value: all,
        bound: `≤ ${allowed.toLocaleString('en')}`,
        holds: all <= allowed,
      },
      { name: `${name}, CPU of each`, unit: 'ms', value: (cpu * 1000) / count },
    ];
  } finally {
    await operator.end();
    await world.close();
  }
};
