import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure, startSite, syncTool, type Measured } from './sync-process.ts';
import type { Figure } from './table.ts';

const bare = fileURLToPath(new URL('sync-bare.ts', import.meta.url));
const rounds = 5;

const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Validation and planning of a very large bundle for an empty site, beside merely reading, hashing and parsing its files. */
export const benchBundle = async (folder: string, patrols: number): Promise<Figure[]> => {
  const bundle = join(folder, 'large');
  const counts = ['--patrols', patrols, '--employees', patrols / 5, '--stations', patrols / 20].map(String);
  await syncTool(['bundle', 'sample', bundle, ...counts]);
  const site = await startSite(0);
  const [planned, parsed]: [Measured[], Measured[]] = [[], []];
  try {
    // In turns, so that both meet the same machine.
    for (let round = 0; round < rounds; round += 1) {
      parsed.push(await measure(process.execPath, [bare, bundle]));
      planned.push(await syncTool(['--dry-run', 'patrol-datamodel', '--bundle', bundle, ...site.flags]));
    }
  } finally {
    await site.end();
  }
  const [value, limit] = [planned, parsed].map((runs) => middle(runs.map(({ seconds }) => seconds))) as [
    number,
    number,
  ];
  const peak = Math.max(...planned.map(({ peakBytes }) => peakBytes)) / 1e6;
  const size = `${patrols.toLocaleString('en')} patrols`;
  return [
    {
      name: `sync-tool: validating and planning ${size}`,
      unit: 's',
      value,
      bare: limit,
      bound: '≤ 3 × bare',
      holds: value <= 3 * limit,
    },
    { name: `sync-tool: memory at most, ${size}`, unit: 'MB', value: peak, bound: '≤ 250 MB', holds: peak <= 250 },
  ];
};
