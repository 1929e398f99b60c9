import { readFileSync } from 'node:fs';
import type { Fault } from './faults.ts';
import type { AnyReport, WorldKind } from './kinds.ts';
import type { SyncWorldOptions } from './sync/world.ts';
import type { WorldOptions } from './world.ts';

/** A world that failed once, and what was wrong then. */
export interface KeptCase {
  readonly why: string;
  /** One of the services, or one of the sync. */
  readonly world?: WorldOptions;
  readonly sync?: SyncWorldOptions;
}

/** The worlds that failed once; they run before all others. */
export const keptCases = (): readonly KeptCase[] =>
  JSON.parse(readFileSync(new URL('cases.json', import.meta.url), 'utf8')) as KeptCase[];

const hours = (ms: number): string => (ms / 3_600_000).toFixed(1);
const number = (value: number): string => value.toLocaleString('en');

const wordsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${number(count)} ${name}`)
    .join(', ');

/** One line about a world. */
export const lineOf = <Found extends AnyReport>(
  kind: Pick<WorldKind<never, Found>, 'counts'>,
  report: Found,
): string => {
  const { seed, simulatedMs, kills, faults, violations, hash } = report;
  const count = Object.values(faults).reduce((sum, each) => sum + each, 0);
  return [
    `${violations.length === 0 ? '' : '✘ '}seed ${seed}: ${hours(simulatedMs)} h, ${wordsOf(kind.counts(report))}`,
    `${kills} kills, ${count} faults`,
    `history ${hash.slice(0, 12)}`,
    violations.length === 0 ? 'everything holds' : `${number(violations.length)} VIOLATIONS`,
  ].join('; ');
};

/** Faults before the first line about the item, and lines of the beginning and of the end of a story. */
const [faultsBefore, firstLines, lastLines] = [10, 30, 40];

/** The first violations, one a line. */
export const violationsIn = ({ violations }: Pick<AnyReport, 'violations'>): string =>
  violations
    .slice(0, 5)
    .map(({ rule, what }) => `${rule}: ${what}`)
    .join('\n');

/** What happened to the first thing that went wrong: its way through the world, and the faults meanwhile. */
export const storyOf = async <Options extends { readonly faults: readonly Fault[] }, Found extends AnyReport>(
  kind: WorldKind<Options, Found>,
  options: Options,
  { violations: [first] }: Found,
): Promise<string> => {
  if (!first) return '';
  const lines: string[] = [];
  if (first.about.length > 0)
    await kind.run(options, { about: first.about, story: (line) => void lines.push(`  ${line}`) });
  const way = lines.slice(Math.max(0, lines.findIndex((line) => !line.includes(' fault: ')) - faultsBefore));
  const isLong = way.length > firstLines + lastLines;
  const told = isLong ? [...way.slice(0, firstLines), '  …\n', ...way.slice(-lastLines)] : way;
  return told.join('');
};

const addTo = (sums: Record<string, number>, counts: Readonly<Record<string, number>>): void => {
  for (const [name, count] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + count;
};

/** Sums over several worlds. */
export const summaryOf = <Found extends AnyReport>(
  kind: Pick<WorldKind<never, Found>, 'counts'>,
  reports: readonly Found[],
  seconds: number,
): string => {
  const sum = (of: (report: Found) => number): number => reports.reduce((total, report) => total + of(report), 0);
  const [counts, faults]: [Record<string, number>, Record<string, number>] = [{}, {}];
  for (const report of reports) {
    addTo(counts, kind.counts(report));
    addTo(faults, report.faults);
  }
  const byKind = Object.entries(faults).toSorted(([, a], [, b]) => b - a);
  return [
    `${reports.length} worlds, ${(sum(({ simulatedMs }) => simulatedMs) / 86_400_000).toFixed(1)} days, ${wordsOf(counts)}`,
    `${number(sum(({ kills }) => kills))} processes ended; ${number(Math.round(sum(({ steps }) => steps) / seconds))} steps/s`,
    `faults: ${byKind.map(([name, count]) => `${name} ${count}`).join(', ')}`,
  ].join('\n');
};
