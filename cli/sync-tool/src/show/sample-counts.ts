import { Option, type Command } from 'commander';
import { plural, wholeOption } from '@ranger-relay/terminal';
import { RelayError } from '@ranger-relay/errors';
import { counted, countsIn, type Preset, type SampleCounts } from '../bundle/sample/counts.ts';

type Name = keyof SampleCounts;

const flagOf = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The options that set a single count. */
export const countFlags = (command: Command): Command => {
  for (const [name, [what, least, most]] of Object.entries(counted))
    command.addOption(
      new Option(`${flagOf(name)} <n>`, `number of ${what}`).argParser(wholeOption(least, most)).conflicts('contract'),
    );
  return command;
};

const checkPart = (counts: SampleCounts, part: Name, whole: Name): void => {
  if (counts[part] <= counts[whole]) return;
  const problem = `${flagOf(part)} is ${counts[part]}, but there are only ${plural(counts[whole], counted[whole][0].replace(/s$/, ''))}; give fewer, or a larger ${flagOf(whole)}`;
  throw new RelayError('usage', { details: { problem } });
};

/**
 * The counts of a sample: those of the preset, replaced by the given ones. A count that is part of another count shrinks with it unless it
 * is given itself.
 * @throws RelayError `usage` when a given part is larger than its whole
 */
export const countsOf = (preset: Preset, given: Partial<SampleCounts>): SampleCounts => {
  const base = countsIn(preset);
  const names = Object.keys(base) as readonly Name[];
  const counts = Object.fromEntries(names.map((name) => [name, given[name] ?? base[name]])) as SampleCounts;
  const shrunk = {
    ...counts,
    unnamedStations: given.unnamedStations ?? Math.min(counts.unnamedStations, counts.stations),
    logins: given.logins ?? Math.min(counts.logins, counts.employees),
  };
  checkPart(shrunk, 'unnamedStations', 'stations');
  checkPart(shrunk, 'logins', 'employees');
  return shrunk;
};
