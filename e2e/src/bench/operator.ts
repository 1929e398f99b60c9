import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import { startChild } from './child.ts';
import { type OperatorHarness, startOperatorHarness } from './operator-harness.ts';
import { peakOf, usageOf } from './proc.ts';
import { atMost, type Figure } from './table.ts';

/** How Node runs a service in its image. */
const asInImage = ['--max-semi-space-size=6', '--optimize-for-size'];

/** Bundles a file beside this one, as the services are bundled. Returns the address of the bundle. */
const bundled = async (file: string): Promise<string> => {
  const build = await rolldown({
    input: fileURLToPath(new URL(file, import.meta.url)),
    platform: 'node',
    resolve: { conditionNames: ['@ranger-relay/source', 'node', 'import', 'default'] },
    treeshake: { moduleSideEffects: (id) => !id.includes('/@kubernetes/client-node/') },
  });
  const path = fileURLToPath(new URL(`../../out/${file.replace(/\.ts$/, '.js')}`, import.meta.url));
  await build.write({ file: path, format: 'esm', codeSplitting: false });
  await build.close();
  return pathToFileURL(path).href;
};

const restSeconds = 5;

const allReady = async (harness: OperatorHarness, count: number): Promise<void> => {
  const until = performance.now() + 300_000;
  while (harness.ready() < count) {
    if (performance.now() > until) throw new Error(`only ${harness.ready()} of ${count} objects are Ready`);
    await sleep(20);
  }
};

/** The operator before so many PatrolSyncs at once: planned, approved, applied and checked by Jobs that end at once. */
export const benchOperator = async (count: number): Promise<Figure[]> => {
  const harness = await startOperatorHarness();
  const program = await bundled('operator-child.ts');
  const started = performance.now();
  const operator = await startChild<{ ready: boolean }>(program, [harness.url], { MALLOC_ARENA_MAX: '1' }, asInImage);
  try {
    const startSeconds = (performance.now() - started) / 1000;
    const startCpu = usageOf(operator.pid).cpuSeconds;
    await sleep(restSeconds * 1000);
    const idle = usageOf(operator.pid).rssBytes / 1e6;
    const [callsBefore, changesBefore] = [harness.calls(), harness.changes()];
    const begin = performance.now();
    const cpuBefore = usageOf(operator.pid).cpuSeconds;
    harness.make(count);
    await allReady(harness, count);
    const seconds = (performance.now() - begin) / 1000;
    const cpu = usageOf(operator.pid).cpuSeconds - cpuBefore;
    await sleep(restSeconds * 1000);
    const calls = harness.calls();
    const all = calls.all - callsBefore.all;
    const allowed =
      harness.changes() - changesBefore + (calls.watches - callsBefore.watches) + (calls.lists - callsBefore.lists);
    const peak = peakOf(operator.pid) / 1e6;
    const name = `operator: ${count} PatrolSyncs at once`;
    return [
      { name: 'operator: start until all objects are known', unit: 's', value: startSeconds },
      { name: 'operator: start, CPU', unit: 's', value: startCpu },
      { name: 'operator: idle, memory', unit: 'MB', value: idle },
      { name: `${name}, until each is applied and checked`, unit: 's', value: seconds },
      atMost(`${name}, memory at most`, 'MB', peak, 180),
      atMost(`${name}, calls to the API server`, 'calls', all, allowed),
      { name: `${name}, CPU of each`, unit: 'ms', value: (cpu * 1000) / count },
    ];
  } finally {
    await operator.end();
    await harness.close();
  }
};
