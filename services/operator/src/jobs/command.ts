import { posix } from 'node:path';
import type { RollbackSpec } from '../api/rollback.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import type { Wanted } from '../decide/decision.ts';

/** Paths inside the Job's container. */
export const places = {
  bundle: '/bundle',
  output: '/output',
  site: '/etc/patrol-sync',
  termination: '/dev/termination-log',
} as const;

/** Inputs of the arguments of a Job. */
export interface CommandOptions {
  readonly sync: SyncSpec;
  readonly job: Wanted;
  /** Folder of the plan on the output volume. */
  readonly folder: string;
  /** Record to resume; the newest record of the folder when left out. */
  readonly record?: string | undefined;
  readonly undo?: RollbackSpec | undefined;
  /** Records of this object that a rollback names: the Job does not delete them. */
  readonly spared?: readonly string[] | undefined;
}

/** Joins an option and its value into one argument, so that a value that starts with a dash cannot become an option. */
const option = (name: string, value: string | number | boolean | undefined): string[] => {
  if (value === undefined || value === false) return [];
  return [value === true ? name : `${name}=${value}`];
};

const inOutput = (path: string): string => `${places.output}/${path}`;

/** How long a Job waits for an unreachable site, in seconds. */
const patience = 900;

const site = ({ site }: SyncSpec): string[] => [
  ...option('--site-endpoint', site.endpoint),
  ...option('--site-token-file', `${places.site}/token`),
  ...option('--ca-file', site.ca && `${places.site}/ca.pem`),
  ...option('--patience', patience),
];

const bundleOf = ({ bundle }: SyncSpec): string => [places.bundle, bundle.claim?.path].filter(Boolean).join('/');

const wording = ({ language, word, timezone, rosterGroup, subjectNameSuffix }: SyncSpec): string[] => [
  ...option('--ext-language', language),
  ...option('--ext-word', word),
  ...option('--timezone', timezone),
  ...option('--roster-group', rosterGroup),
  ...option('--subject-name-suffix', subjectNameSuffix),
];

const limit = ({ maxDeactivations }: SyncSpec): string[] => option('--max-deactivations', maxDeactivations);

const undo = ({ job, sync, undo: spec }: CommandOptions): string[] => [
  ...option('--dry-run', job.command === 'undo-plan'),
  'undo',
  ...option('--approved', job.planHash),
  ...option('--delete-subjects', spec?.deleteSubjects),
  ...option('--ext-word', sync.word),
  ...(spec?.force ?? []).map((kind) => `--force=${kind}`),
  // The lease of the site keeps other Jobs away: a lock in the folder is that of a Job that was killed.
  ...option('--force-unlock', job.command === 'undo'),
  ...site(sync),
  ...(spec?.records ?? []).map(inOutput),
];

/** Numbers of the spared record folders that are siblings of the plan folder. */
const sparedFolders = ({ folder, spared = [] }: CommandOptions): readonly string[] => {
  const folders = spared.map((record) => posix.dirname(record));
  const beside = folders.filter((each) => posix.dirname(each) === posix.dirname(folder));
  return [...new Set(beside.map((each) => posix.basename(each)))];
};

const prune = (parts: CommandOptions): string[] => [
  'files',
  'prune',
  ...option('--keep', parts.sync.keepRuns),
  ...sparedFolders(parts).map((number) => `--spare=${number}`),
  inOutput(posix.dirname(parts.folder)),
];

/** Builds the command-line arguments of a Job. Pure. */
export const argumentsOf = (parts: CommandOptions): readonly string[] => {
  const { sync, job, folder, record } = parts;
  const checklist = option('--checklist', inOutput(`${folder}/checklist.md`));
  const plan = inOutput(`${folder}/plan.json`);
  const bundle = option('--bundle', bundleOf(sync));
  if (job.command === 'plan')
    return [
      '--dry-run',
      'patrol-datamodel',
      ...bundle,
      ...wording(sync),
      ...option('--replace-segment-schema', sync.replaceSegmentSchema),
      ...option('--plan-out', plan),
      ...checklist,
      ...limit(sync),
      ...site(sync),
    ];
  if (job.command === 'apply')
    return [
      'apply',
      ...option('--plan', plan),
      ...option('--approved', job.planHash),
      ...checklist,
      ...limit(sync),
      ...site(sync),
    ];
  if (job.command === 'resume')
    return [
      'resume',
      ...option('--plan', plan),
      ...option('--approved', job.planHash || undefined),
      ...limit(sync),
      '--force-unlock',
      ...site(sync),
      inOutput(record ?? folder),
    ];
  if (job.command === 'prune') return prune(parts);
  if (job.command === 'verify') return ['verify', ...bundle, ...wording(sync), ...checklist, ...site(sync)];
  return undo(parts);
};
