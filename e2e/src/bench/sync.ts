import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { measure, startSite, syncTool, type Measured } from './sync-process.ts';
import { benchRuns } from './sync-run.ts';
import { atMost, atMostBare, type Figure } from './table.ts';

const rounds = 5;

const middle = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

const secondsOf = (runs: readonly Measured[]): number => middle(runs.map(({ seconds }) => seconds));

/** A very large bundle, and the program that does the least with its files that every reader must do. */
interface LargeBundle {
  readonly size: string;
  /** Arguments of `bundle sample`. */
  readonly sample: readonly string[];
  readonly bare: string;
}

/** Validation, planning and rehearsal of a very large bundle for an empty site, all in one dry run, beside the bare program on the same files. */
const benchBundle = async (folder: string, { size, sample, bare }: LargeBundle): Promise<Figure[]> => {
  await syncTool(['bundle', 'sample', folder, ...sample]);
  const program = fileURLToPath(new URL(bare, import.meta.url));
  const site = await startSite(0);
  const [planned, parsed]: [Measured[], Measured[]] = [[], []];
  try {
    // In turns, so that both meet the same machine.
    for (let round = 0; round < rounds; round += 1) {
      parsed.push(await measure(process.execPath, [program, folder]));
      planned.push(await syncTool(['--dry-run', 'patrol-datamodel', '--bundle', folder, ...site.flags]));
    }
  } finally {
    await site.end();
  }
  const [value, limit] = [secondsOf(planned), secondsOf(parsed)];
  const peak = Math.max(...planned.map(({ peakBytes }) => peakBytes)) / 1e6;
  return [
    // Planning alone may take 3 times as long, and the rehearsal half of that again.
    atMostBare(`sync-tool: validating, planning and rehearsing ${size}`, 's', value, limit, 4.5),
    atMost(`sync-tool: memory at most, ${size}`, 'MB', peak, 250),
  ];
};

const ownBundle = (patrols: number): LargeBundle => ({
  size: `${patrols.toLocaleString('en')} patrols`,
  sample: ['--patrols', patrols, '--employees', patrols / 5, '--stations', patrols / 20].map(String),
  bare: 'sync-bare.ts',
});

/** With the very large vocabulary, and ten waypoints to a patrol. */
const exportedBundle = (patrols: number): LargeBundle => ({
  size: `an exported bundle of ${patrols.toLocaleString('en')} patrols, ${(patrols * 10).toLocaleString('en')} waypoints`,
  sample: ['--format', 'exported', '--preset', 'very-large', '--patrols', String(patrols)],
  bare: 'sync-bare-exported.ts',
});

const startRounds = 15;

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
  for (let round = 0; round < startRounds; round += 1) times.push((await run()).seconds * 1000);
  return middle(times);
};

/** How long the tool takes to print its help, beside a Node that does nothing. */
const benchStart = async (): Promise<Figure[]> => {
  const figures: Figure[] = [];
  for (const node of [...hostNode(), process.execPath]) {
    const version = (await measure(node, ['--version'])).stdout.trim();
    const bare = await medianMs(() => measure(node, ['-e', '0']));
    for (const words of [[], ['patrol-datamodel']]) {
      const value = await medianMs(() => syncTool([...words, '--help'], node));
      const name = `sync-tool: \`${[...words, '--help'].join(' ')}\`, Node ${version.replace('v', '')}`;
      figures.push({ ...(words.length === 0 ? atMost(name, 'ms', value, 300) : { name, unit: 'ms', value }), bare });
    }
  }
  return figures;
};

/** The command line that prepares a site: how it starts, reads a very large bundle, and runs against a site with latency. */
export const benchSync = async (isQuick: boolean): Promise<Figure[]> => {
  const folder = mkdtempSync(join(tmpdir(), 'ranger-relay-bench-sync-'));
  try {
    return [
      ...(await benchStart()),
      ...(await benchBundle(join(folder, 'own'), ownBundle(isQuick ? 2_000 : 100_000))),
      ...(await benchBundle(join(folder, 'exported'), exportedBundle(isQuick ? 500 : 20_000))),
      ...(await benchRuns(folder, isQuick ? 200 : 5_000, isQuick ? 100 : 2_000)),
    ];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};
