import { readFileSync } from 'node:fs';
import { type Report, runWorld } from './run.ts';
import type { WorldOptions } from './world.ts';

/** A world that failed once, and what was wrong then. */
export interface KeptCase {
  readonly why: string;
  readonly world: WorldOptions;
}

/** The worlds that failed once; they run before all others. */
export const keptCases = (): readonly KeptCase[] =>
  JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8')) as KeptCase[];

const hours = (ms: number): string => (ms / 3_600_000).toFixed(1);
const number = (value: number): string => value.toLocaleString('en');

/** One line about a world. */
export const lineOf = (report: Report): string => {
  const { seed, simulatedMs, events, rows, texts, kills, faults, repeats, deadLettered, violations, hash } = report;
  const count = Object.values(faults).reduce((sum, each) => sum + each, 0);
  return [
    `${violations.length === 0 ? '' : '✘ '}seed ${seed}: ${hours(simulatedMs)} h, ${number(events)} events, ${rows} rows, ${texts} texts`,
    `${kills} kills, ${count} faults, ${number(repeats)} repeats, ${deadLettered} dead letters`,
    `history ${hash.slice(0, 12)}`,
    violations.length === 0 ? 'everything holds' : `${number(violations.length)} VIOLATIONS`,
  ].join('; ');
};

const maxLines = 60;

/** What happened to the first thing that went wrong: its way through the world, and the faults meanwhile. */
export const storyOf = async (options: WorldOptions, { violations }: Report): Promise<string> => {
  const [first] = violations;
  if (!first) return '';
  const lines: string[] = [];
  if (first.about.length > 0)
    await runWorld(options, { about: first.about, story: (line) => void lines.push(`  ${line}`) });
  const told = lines.length > maxLines ? ['  …\n', ...lines.slice(-maxLines)] : lines;
  return [...violations.slice(0, 5).map(({ rule, what }) => `${rule}: ${what}\n`), ...told].join('');
};

/** Sums over several worlds. */
export const summaryOf = (reports: readonly Report[], seconds: number): string => {
  const sum = (of: (report: Report) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const faults: Record<string, number> = {};
  for (const report of reports)
    for (const [kind, count] of Object.entries(report.faults)) faults[kind] = (faults[kind] ?? 0) + count;
  const byKind = Object.entries(faults).toSorted(([, a], [, b]) => b - a);
  return [
    `${reports.length} worlds, ${(sum(({ simulatedMs }) => simulatedMs) / 86_400_000).toFixed(1)} days`,
    `${number(sum(({ events }) => events))} events, ${number(sum(({ rows }) => rows))} rows, ${number(sum(({ texts }) => texts))} texts`,
    `${number(sum(({ kills }) => kills))} processes ended, ${number(sum(({ repeats }) => repeats))} repeats`,
    `${number(Math.round(sum(({ events }) => events) / seconds))} events/s, ${number(Math.round(sum(({ steps }) => steps) / seconds))} steps/s`,
    `faults: ${byKind.map(([kind, count]) => `${kind} ${count}`).join(', ')}`,
  ].join('\n');
};
