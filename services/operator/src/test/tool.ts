import { createHash } from 'node:crypto';
import type { SyncSummary } from '@ranger-relay/contracts';
import { summary } from './observed.ts';

/** How a run of the tool goes: to its end, broken off after some writes, or before the first one; with or without last words. */
export type Fate = 'ok' | 'fails' | 'broken' | 'refused' | 'evicted early' | 'evicted midway' | 'evicted late';

interface Record {
  readonly planHash: string;
  readonly to: number;
  readonly before: number;
  complete: boolean;
}

/** A site, a bundle and an output volume, as far as plans and runs are about them. */
export interface Site {
  /** What the bundle asks for. */
  bundle: number;
  /** What the site has; a half is what a run leaves that was broken off. */
  has: number;
  /** Counts what others change. */
  others: number;
  readonly plans: Map<string, { hash: string; to: number; seen: string }>;
  readonly records: Map<string, Record>;
  /** Every run that got as far as its first write: what carried it out. */
  readonly writes: string[];
  /** Arguments of every call that deleted older runs. */
  readonly prunes: string[];
}

/** A site that has nothing of the first bundle. */
export const newSite = (): Site => ({
  bundle: 1,
  has: 0,
  others: 0,
  plans: new Map(),
  records: new Map(),
  writes: [],
  prunes: [],
});

const summaryOf = (command: string, more: Partial<SyncSummary>): SyncSummary => summary({ command, ...more });

const failed = (command: string, reason: string, more: Partial<SyncSummary> = {}): SyncSummary =>
  summaryOf(command, { outcome: 'failed', exit: 1, reason, message: `it failed: ${reason}`, ...more });

const stateOf = ({ has, others }: Site): string => `${has}/${others}`;
const hashOf = (site: Site): string =>
  createHash('sha256')
    .update(`${site.bundle} over ${stateOf(site)}`)
    .digest('hex');
/** Value of an option. */
export const valueOf = (args: readonly string[], name: string): string =>
  args.find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) ?? '';
const bundleOf = ({ bundle }: Site): string => createHash('sha256').update(`bundle ${bundle}`).digest('hex');
const folderIn = (path: string): string => path.split('/').slice(0, -1).join('/');

const plan = (site: Site, args: readonly string[]): SyncSummary => {
  const hash = hashOf(site);
  site.plans.set(valueOf(args, '--plan-out'), { hash, to: site.bundle, seen: stateOf(site) });
  const created = site.has === site.bundle ? 0 : 3;
  return summaryOf('patrol-datamodel', {
    dry_run: true,
    plan_hash: hash,
    bundle: bundleOf(site),
    counts: { created },
    people_deactivated: 0,
    plan: 'plan.json',
  });
};

/** Carries a record on to its end, or as far as its fate lets it. */
const carry = (site: Site, folder: string, record: Record, fate: Fate, command: string): SyncSummary | undefined => {
  const name = 'patrol-datamodel-run-20260101T000000Z.json';
  if (fate === 'fails' || fate === 'broken' || fate === 'evicted midway') {
    site.has = record.to - 0.5;
    const more = { record: name, plan_hash: record.planHash };
    if (fate === 'evicted midway') return undefined;
    return fate === 'broken'
      ? summaryOf(command, { outcome: 'interrupted', exit: 130, reason: 'interrupted', ...more })
      : failed(command, 'step_failed', more);
  }
  site.has = record.to;
  record.complete = true;
  site.records.set(folder, record);
  return fate === 'evicted late'
    ? undefined
    : summaryOf(command, { record: name, plan_hash: record.planHash, counts: { created: 3 } });
};

const apply = (site: Site, args: readonly string[], fate: Fate): SyncSummary | undefined => {
  const file = valueOf(args, '--plan');
  const known = site.plans.get(file);
  if (!known || known.hash !== valueOf(args, '--approved')) return failed('apply', 'plan_not_approved');
  if (fate === 'evicted early') return undefined;
  if (fate === 'refused') return failed('apply', 'site_unauthorized');
  if (known.seen !== stateOf(site)) return failed('apply', 'plan_outdated');
  site.writes.push(`apply ${known.hash}`);
  const record = { planHash: known.hash, to: known.to, before: site.has, complete: false };
  site.records.set(folderIn(file), record);
  return carry(site, folderIn(file), record, fate, 'apply');
};

const resume = (site: Site, args: readonly string[], fate: Fate): SyncSummary | undefined => {
  const target = args.at(-1) ?? '';
  const folder = target.endsWith('.json') ? folderIn(target) : target;
  const record = site.records.get(folder);
  if (fate === 'evicted early') return undefined;
  if (!record) return failed('resume', 'record_missing');
  if (record.complete)
    return summaryOf('resume', { record: 'patrol-datamodel-run-20260101T000000Z.json', plan_hash: record.planHash });
  if (fate === 'refused') return failed('resume', 'site_unauthorized');
  return carry(site, folder, record, fate, 'resume');
};

const verify = (site: Site): SyncSummary =>
  site.has === site.bundle
    ? summaryOf('verify', { bundle: bundleOf(site), counts: { differences: 0 } })
    : failed('verify', 'site_differs', { bundle: bundleOf(site), counts: { differences: 3 } });

const undo = (site: Site, args: readonly string[], fate: Fate): SyncSummary | undefined => {
  const dry = args.includes('--dry-run');
  const record = site.records.get(folderIn(args.at(-1) ?? ''));
  if (!record) return failed('undo', 'record_missing');
  if (fate.startsWith('evicted')) return undefined;
  const hash = createHash('sha256').update(`undo ${record.planHash} beside ${site.others}`).digest('hex');
  const approved = valueOf(args, '--approved');
  if (!dry && approved !== hash) return failed('undo', 'plan_outdated', { plan_hash: hash });
  if (fate !== 'ok') return failed('undo', 'step_failed', { counts: { undone: 1, failed: 2 } });
  if (!dry) {
    site.has = record.before;
    site.writes.push('undo');
  }
  return summaryOf('undo', {
    dry_run: dry,
    plan_hash: hash,
    counts: { undone: 3, left: 0, failed: 0 },
    report: dry ? null : 'undo.json',
  });
};

const numberOf = (folder: string): number => Number(folder.split('/').at(-1));
const isBelow = (root: string, folder: string): boolean => folderIn(folder) === root;

/** Deletes what is older than the newest runs, but for those that are named or were not finished. */
const deleteOlder = ({ plans, records }: Site, root: string, keep: number, spared: readonly string[]): void => {
  const older = [...records.keys()]
    .filter((folder) => isBelow(root, folder))
    .toSorted((a, b) => numberOf(b) - numberOf(a))
    .slice(keep);
  for (const folder of older) {
    if (!records.get(folder)?.complete || spared.includes(String(numberOf(folder)))) continue;
    records.delete(folder);
    plans.delete(`${folder}/plan.json`);
  }
};

const prune = (site: Site, args: readonly string[], fate: Fate): SyncSummary | undefined => {
  if (fate.startsWith('evicted')) return undefined;
  site.prunes.push(args.slice(args.indexOf('prune') + 1).join(' '));
  const spared = args.filter((each) => each.startsWith('--spare=')).map((each) => each.slice('--spare='.length));
  deleteOlder(site, args.at(-1) ?? '', Number(valueOf(args, '--keep')), spared);
  return fate === 'ok' ? summaryOf('files prune', {}) : failed('files prune', 'output_not_writable');
};

/** What the tool does with these arguments. Undefined: its pod is gone without a word. */
export const runTool = (site: Site, args: readonly string[], fate: Fate): SyncSummary | undefined => {
  if (args.includes('prune')) return prune(site, args, fate);
  const command = args.find((each) => ['patrol-datamodel', 'apply', 'resume', 'verify', 'undo'].includes(each));
  if (command === 'apply') return apply(site, args, fate);
  if (command === 'resume') return resume(site, args, fate);
  if (command === 'undo') return undo(site, args, fate);
  if (fate.startsWith('evicted')) return undefined;
  if (fate !== 'ok') return failed(command ?? '', 'site_unavailable');
  return command === 'verify' ? verify(site) : plan(site, args);
};
