import { Option, type Command } from 'commander';
import { plural, wholeOption } from '@ranger-relay/terminal';
import { RelayError } from '@ranger-relay/errors';
import type { Preset, SampleCounts } from '../bundle/index.ts';
import { presets } from '../bundle/sample/counts.ts';
import { languagesLimit } from '../bundle/sample/random.ts';

const maxCount = 10_000_000;

/** Description and bounds of each count. */
const counted: Readonly<Record<keyof SampleCounts, readonly [what: string, min: number, max: number]>> = {
  languages: ['languages', 1, languagesLimit],
  transports: ['transports', 0, maxCount],
  mandates: ['mandates', 0, maxCount],
  stations: ['stations', 0, maxCount],
  unnamedStations: ['stations without a name', 0, maxCount],
  teams: ['teams', 0, maxCount],
  attributes: ['custom patrol attributes', 0, maxCount],
  options: ['options of each list', 0, maxCount],
  treeNodes: ['nodes of each tree', 0, maxCount],
  employees: ['employees', 0, maxCount],
  logins: ['employees that are logins', 0, maxCount],
  patrols: ['patrols', 0, maxCount],
  membersPerLeg: ['members of each leg', 0, 1_000],
  waypointsPerLeg: ['waypoints of each leg (exported format)', 0, 10_000],
};

const names = Object.keys(counted) as readonly (keyof SampleCounts)[];

const flagOf = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The options that set a single count. */
export const countFlags = (command: Command): Command => {
  for (const name of names) {
    const [what, min, max] = counted[name];
    command.addOption(
      new Option(`${flagOf(name)} <n>`, `number of ${what}`).argParser(wholeOption(min, max)).conflicts('contract'),
    );
  }
  return command;
};

const checkPart = (counts: SampleCounts, part: keyof SampleCounts, whole: keyof SampleCounts): void => {
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
  const counts = { ...presets[preset] };
  for (const name of names) counts[name] = given[name] ?? counts[name];
  const shrunk = {
    ...counts,
    unnamedStations: given.unnamedStations ?? Math.min(counts.unnamedStations, counts.stations),
    logins: given.logins ?? Math.min(counts.logins, counts.employees),
  };
  checkPart(shrunk, 'unnamedStations', 'stations');
  checkPart(shrunk, 'logins', 'employees');
  return shrunk;
};
