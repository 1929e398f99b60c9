import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import * as disk from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freshSite, type SiteSimulator } from '@ranger-relay/simulators';
import { systemClock, type Random } from '@ranger-relay/runtime';
import { openSite, type Site } from '@ranger-relay/site';
import { labelFor } from '../../bundle/labels/label.ts';
import { readBundle } from '../../bundle/read/read-bundle.ts';
import { type SampleOptions, writeSampleBundle } from '../../bundle/sample/sample-bundle.ts';
import type { Bundle } from '../../bundle/model.ts';
import { desiredOf, type Desired } from '../../resources/index.ts';
import type { Result } from '../../program/action.ts';
import { resumeRun } from '../../program/resume.ts';
import { syncRun } from '../../program/sync.ts';
import { undoRuns } from '../../undo/undo.ts';
import { testShell } from '../../test/shell.ts';
import { seedSite } from './seeded-site.ts';

const quiet = { debug: () => undefined, warn: () => undefined };

/** Counts of a bundle that holds everything and is read in milliseconds. */
export const smallCounts = {
  languages: 2,
  transports: 3,
  mandates: 2,
  stations: 4,
  unnamedStations: 2,
  teams: 1,
  attributes: 3,
  options: 3,
  treeNodes: 4,
  employees: 8,
  logins: 2,
  patrols: 4,
  membersPerLeg: 2,
  waypointsPerLeg: 2,
} as const;

/** Small counts that differ from case to case. */
export const variedCounts = ({ next }: Random) => {
  const below = (count: number): number => Math.floor(next() * count);
  const [employees, stations] = [1 + below(12), below(6)];
  return {
    ...smallCounts,
    languages: 1 + below(3),
    transports: below(5),
    mandates: below(4),
    stations,
    unnamedStations: below(stations + 1),
    attributes: below(8),
    employees,
    logins: below(employees + 1),
    patrols: below(8),
  };
};

/** A bundle on the disk with what it asks for. */
export interface CaseBundle {
  readonly folder: string;
  readonly path: string;
  readonly bundle: Bundle;
  readonly desired: Desired;
  remove(): void;
}

/** Writes and reads a small bundle. */
export const caseBundle = async (options: SampleOptions): Promise<CaseBundle> => {
  const folder = mkdtempSync(join(tmpdir(), 'sync-property-'));
  const path = join(folder, 'export');
  await writeSampleBundle(path, { counts: smallCounts, ...options });
  const bundle = await readBundle(path);
  const label = labelFor(bundle.manifest, 'en');
  return {
    folder,
    path,
    bundle,
    desired: desiredOf(bundle, label, false),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};

const options = {
  language: 'en',
  subject_name_suffix: false,
  roster_group: null,
  replace_segment_schema: false,
  modernize_form: false,
  word: 'ext',
};
const flags = { patience: 120, maxDeactivations: 1_000 };
const note = (): void => undefined;

export const recordsOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => /^patrol-datamodel-run-\w+\.json$/.test(name))
    .map((name) => join(folder, name));

const run = (on: Site, { bundle, folder }: Pick<CaseBundle, 'bundle' | 'folder'>, dryRun = false): Promise<Result> =>
  syncRun({
    shell: testShell(),
    site: on,
    bundle,
    flags,
    options,
    isWordSet: false,
    folder,
    checklist: join(folder, 'checklist.md'),
    dryRun,
    note,
  });

/** One shared site, filled anew for each case. */
export const startCases = async () => {
  const site: SiteSimulator = await freshSite();
  const open = (): Site =>
    openSite({ address: site.url, token: site.token, clock: systemClock, log: quiet, userAgent: 'test' });
  return {
    site,
    open,
    run,
    recordsOf,
    seed: (case_: CaseBundle, random: Random): void => seedSite(site, case_.bundle, case_.desired, random),
    resume: (on: Site, record: string, { path, folder }: CaseBundle): Promise<Result> =>
      resumeRun(
        {
          shell: testShell(),
          site: on,
          flags: { ...flags, bundle: path, checklist: join(folder, 'checklist.md') },
          dryRun: false,
          note,
        },
        record,
      ),
    undo: (on: Site, folder: string, dryRun = false) =>
      undoRuns({
        site: on,
        disk,
        tool: 'test',
        clock: systemClock,
        locks: [],
        records: recordsOf(folder),
        word: 'ext',
        force: new Set(),
        deleteSubjects: false,
        dryRun,
        signal: new AbortController().signal,
      }),
  };
};

/** Everything for the cases of one property. */
export type Cases = Awaited<ReturnType<typeof startCases>>;

/** Whether a member of the client writes; a new member does not compile until it stands here. */
const isWrite: Readonly<Record<keyof Site, boolean>> = {
  identity: false,
  teams: false,
  patrolMembers: false,
  memberGroups: false,
  subjectsOfGroup: false,
  eventTypes: false,
  origin: false,
  withWord: false,
  probe: false,
  patrolSchemas: false,
  patrolTypes: false,
  patrolType: false,
  checkPatrolTypesWritable: false,
  createPatrolType: true,
  patchPatrolType: true,
  deletePatrolType: true,
  patrolTypeUse: false,
  choices: false,
  createChoice: true,
  patchChoice: true,
  form: false,
  writeForm: true,
  subjects: false,
  subjectsById: false,
  createSubject: true,
  patchSubject: true,
  deleteSubject: true,
  groupByName: false,
  firstMemberGroup: false,
  groupMembers: false,
  addToGroup: true,
  removeFromGroup: true,
  close: false,
};

/** When a process is killed: before its write leaves, or after the site has carried it out. */
export type Moment = 'before' | 'after';

/** A site client whose process is killed at its n-th write: the output folder is kept as it is at that moment, and nothing is sent any more. */
export const killedAt = (site: Site, n: number, moment: Moment, from: string, to: string) => {
  let writes = 0;
  let dead = false;
  const die = (): never => {
    if (!dead) cpSync(from, to, { recursive: true, filter: (path) => !path.endsWith('.lock') });
    dead = true;
    throw new Error('killed');
  };
  const client: Site = Object.fromEntries(
    Object.entries(site).map(([name, member]: [string, unknown]) => {
      if (typeof member !== 'function') return [name, member];
      const call = async (...args: unknown[]): Promise<unknown> => {
        if (dead) throw new Error('killed');
        const isLast = isWrite[name as keyof Site] && ++writes === n;
        if (isLast && moment === 'before') die();
        const answer: unknown = await (member as (...args: unknown[]) => Promise<unknown>)(...args);
        if (isLast) die();
        return answer;
      };
      if (name === 'withWord') return [name, () => client];
      return [name, name === 'close' ? member : call];
    }),
  ) as unknown as Site;
  return { client, killed: () => dead, writes: () => writes };
};
