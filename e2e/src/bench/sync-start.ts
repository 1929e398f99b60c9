import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { measure, syncTool } from './sync-process.ts';
import type { Figure } from './table.ts';

const rounds = 15;
const boundMs = 300;

const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** The Node of the machine, beside that of the workspace. */
const hostNode = (): readonly string[] =>
  (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '' && !folder.includes('node_modules'))
    .map((folder) => join(folder, 'node'))
    .filter((path) => existsSync(path))
    .slice(0, 1);

const medianMs = async (run: () => Promise<{ readonly seconds: number }>): Promise<number> => {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) times.push((await run()).seconds * 1000);
  return middle(times);
};

/** How long the tool takes to print its help, beside a Node that does nothing. */
export const benchStart = async (): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const node of [...hostNode(), process.execPath]) {
    const version = (await measure(node, ['--version'])).stdout.trim();
    const bare = await medianMs(() => measure(node, ['-e', '0']));
    for (const words of [[], ['patrol-datamodel']]) {
      const value = await medianMs(() => syncTool([...words, '--help'], node));
      const name = `sync-tool: \`${[...words, '--help'].join(' ')}\`, Node ${version.replace('v', '')}`;
      const bound = words.length === 0 ? { bound: `≤ ${boundMs} ms`, holds: value <= boundMs } : {};
      figures.push({ name, unit: 'ms', value, bare, ...bound });
    }
  }
  return figures;
};
