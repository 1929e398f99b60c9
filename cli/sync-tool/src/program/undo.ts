import { basename, dirname } from 'node:path';
import { stepOf, type SyncKind, syncKinds, type UndoReport } from '@ranger-relay/contracts';
import { type ErrorCode, RelayError } from '@ranger-relay/errors';
import type { Site } from '@ranger-relay/site';
import { printable } from '@ranger-relay/terminal';
import { Command, Option } from 'commander';
import { tryToNote, undoneText } from '../checklist/write.ts';
import type { Facts, Note } from '../summary/write.ts';
import type { SyncShell } from '../run/machine.ts';
import { checklistPath } from '../run/files.ts';
import { readRecordHead } from '../run/record.ts';
import { stepNames } from '../resources/index.ts';
import { undoPlanHash, type UndoResult, undoRuns } from '../undo/undo.ts';
import type { Result } from './action.ts';
import { hashOption } from './apply.ts';
import { callHint } from './failures.ts';
import { forceUnlockFlag, type Output, wordFlag, version } from './flags.ts';
import { siteLocks, type WriteFlags, wordOf } from './inputs.ts';
import { onSite, type SiteCalling } from './on-site.ts';
import { namedRecords } from './records.ts';

interface Flags extends WriteFlags {
  readonly approved?: string;
  readonly extWord?: string;
  readonly deleteSubjects?: true;
  readonly force?: readonly SyncKind[];
  readonly output: Output;
}

type Entries = UndoReport['entries'];

const example = `
Examples:
  $ sync-tool --dry-run undo patrol-datamodel-run-20260131T140311Z.json --site-endpoint site.example --site-token-file token.txt
  $ sync-tool undo patrol-datamodel-run-20260131T140311Z.json --config sync.yaml`;

interface Counts {
  readonly undone: number;
  readonly already: number;
  readonly left: number;
  readonly failed: number;
}

const countsOf = (entries: Entries): Counts => {
  const count = (wanted: string): number => entries.filter(({ outcome }) => outcome === wanted).length;
  return { undone: count('undone'), already: count('already'), left: count('left'), failed: count('failed') };
};

/** The step that writes a kind, as shown to people. */
const stepNameOf = (kind: string): string => stepNames[stepOf({ kind: kind as SyncKind })];

/** Summary facts of an undo, without the names of people: many readers may see the summary, the names stay in the report. */
const factsOf = ({ report, path }: UndoResult): Facts => {
  const { already: already_there, ...counts } = countsOf(report.entries);
  const rest = report.entries.filter(({ outcome }) => outcome === 'left' || outcome === 'failed');
  const alike = Map.groupBy(
    rest,
    ({ outcome, kind, reason }) => `${outcome}: ${stepNameOf(kind)}: ${reason ?? 'no reason'}`,
  );
  return {
    counts: { ...counts, already_there },
    report: path === null ? null : basename(path),
    problems: { items: [...alike].map(([text, { length }]) => `${length} × ${text}`), left_out: 0 },
  };
};

/** Words for the outcomes, and for the expected ones in a dry run. */
const words = { undone: 'undone', already: 'already undone', left: 'left', failed: 'failed' } as const;
const plannedWords = { ...words, undone: 'to undo', left: 'to leave', failed: 'cannot be looked at' } as const;

const countLines = ({ undone, already, left, failed }: Counts, path: string | null): string[] => {
  const end = path === null ? 'Nothing was written to the site.' : `Report: ${path}`;
  if (undone + already + left + failed === 0)
    return [
      `The run wrote nothing; its area ${path === null ? 'would then' : 'does'} not count as one that needs what it found`,
      end,
    ];
  const there = already === 0 ? '' : `${already} were already, `;
  if (path !== null) return [`${undone} undone, ${there}${left} left, ${failed} failed`, end];
  return [`${undone} to undo, ${there}${left} to leave, ${failed} that cannot be looked at`, end];
};

const resultOf = (
  { report, path, unsaved }: UndoResult,
  { hash, again }: { readonly hash: string | null; readonly again: string },
  note: Note,
): Result => {
  const counts = countsOf(report.entries);
  const { records } = report;
  const lines = [...countLines(counts, path), ...(records.length > 1 ? [`Records: ${records.join(', ')}`] : [])];
  const json = { ...counts, plan_hash: hash, report: path, entries: report.entries };
  const toFinish = (code: Result['code'], reason: ErrorCode, why: string): Result => {
    const message = `${why}. Finish it; what is undone already is left alone: ${again}`;
    note({ message });
    return { code, reason, lines: [...lines, printable(message)], json };
  };
  if (unsaved) return toFinish(1, unsaved.code, unsaved.message);
  if (report.finished_at === null) return toFinish(130, 'interrupted', 'Interrupted');
  if (counts.failed > 0) {
    const kinds = report.entries.flatMap(({ outcome, kind }) => (outcome === 'failed' ? [stepNameOf(kind)] : []));
    note({ message: new RelayError('step_failed', { details: { steps: [...new Set(kinds)].join(', ') } }).message });
    return { code: 1, reason: 'step_failed', lines, json };
  }
  if (counts.left === 0) return { code: 0, lines, json };
  note({ message: new RelayError('entries_left', { details: { left: counts.left } }).message });
  return { code: 3, reason: 'entries_left', lines, json };
};

/** The call that repeats this undo. */
const againHint = (shell: SyncShell, records: readonly string[], flags: Flags): string => {
  const { deleteSubjects, force = [] } = flags;
  const more = [...(deleteSubjects ? ['--delete-subjects'] : []), ...(force.length > 0 ? ['--force', ...force] : [])];
  return callHint(shell, ['undo', ...records, ...more], flags);
};

/** Says on the checklists of runs that they were undone. */
const noteOnChecklists = async (shell: SyncShell, records: readonly string[], site: Site): Promise<void> => {
  const { disk } = shell.machine;
  const at = new Date(shell.clock.now()).toISOString();
  for (const path of records) {
    const { conservation_area: area, checklist } = await readRecordHead(disk, path);
    await tryToNote(shell, checklistPath(path, checklist), { area, site, begins: false }, undoneText(at));
  }
};

const undo = async (
  { shell, site, flags, file, dryRun, note }: SiteCalling<Flags>,
  named: readonly string[],
): Promise<Result> => {
  const signal = shell.interrupted();
  const [force, deleteSubjects] = [new Set(flags.force), flags.deleteSubjects ?? false];
  const records = await namedRecords(shell, named, site.identity, note);
  let isNoted = dryRun;
  const undone = await undoRuns({
    site,
    disk: shell.machine.disk,
    tool: `sync-tool ${version}`,
    clock: shell.clock,
    locks: await siteLocks(
      shell,
      site,
      flags,
      records.map((path) => dirname(path)),
    ),
    records,
    word: wordOf(flags, file),
    force,
    deleteSubjects,
    dryRun,
    approved: flags.approved,
    signal,
    async onEntry({ object, outcome, detail, reason }) {
      const word = (dryRun ? plannedWords : words)[outcome];
      // With JSON, standard output has one object, which holds the entries.
      (flags.output === 'json' ? shell.err : shell.out)(
        printable(`${word}: ${object}${detail === null ? '' : `: ${detail}`}${reason === null ? '' : ` (${reason})`}`),
      );
      if (isNoted || outcome !== 'undone') return;
      // At the first, for what ends the undo may leave no time for it.
      isNoted = true;
      await noteOnChecklists(shell, records, site);
    },
  });
  // What never wrote leaves nothing to undo, and a list that says that it has not come to its end.
  if (!isNoted && undone.report.entries.length === 0) await noteOnChecklists(shell, records, site);
  const hash = dryRun ? undoPlanHash(undone.report, { force, deleteSubjects }) : (flags.approved ?? null);
  note({ ...factsOf(undone), plan_hash: hash });
  return resultOf(undone, { hash, again: againHint(shell, records, flags) }, note);
};

/** `undo`: undoes runs. */
export const undoCommand = (shell: SyncShell): Command => {
  const command = new Command('undo')
    .argument('<record...>', 'run records, or a folder for its newest one')
    .option(
      '--approved <hash>',
      'hash of the plan that was approved, as a dry run shows it; another one is refused',
      hashOption,
    )
    .option(
      '--delete-subjects',
      'delete the subjects that a run created, with their tracks and their places in all groups; else they become inactive',
    )
    .addOption(
      new Option('--force <kind...>', 'undo entries of these kinds although they were changed since').choices(
        syncKinds,
      ),
    );
  return onSite<Flags>(shell, forceUnlockFlag(wordFlag(command)), example, undo);
};
