import { createProgram, type ExitCode, type LazyCommand, loadCommands, runProgram } from '@ranger-relay/terminal';
import { type Command, CommanderError } from 'commander';
import type { SyncShell } from '../run/machine.ts';
import { about, summaryPath } from './flags.ts';

const entries: Readonly<Record<string, LazyCommand<SyncShell>>> = {
  'patrol-datamodel': {
    description: 'Create or update on the site everything that the import of patrols needs.',
    load: async () => (await import('./patrol-datamodel.ts')).patrolDatamodelCommand,
  },
  apply: {
    description: 'Carry out an existing plan; stop before the first write when the site has changed since.',
    load: async () => (await import('./apply.ts')).applyCommand,
  },
  undo: {
    description: 'Undo runs, newest first; objects that have changed since stay as they are and are listed.',
    load: async () => (await import('./undo.ts')).undoCommand,
  },
  resume: {
    description: 'Finish a run that was interrupted or failed; an undo then takes back both records.',
    load: async () => (await import('./resume.ts')).resumeCommand,
  },
  verify: {
    description:
      'Check whether the site has everything that the bundle requires, and bring the checklist up to date. Writes nothing to the site.',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  rehearse: {
    description:
      'Check whether the patrols of a bundle would import on the site as it is now, without writing anything.',
    load: async () => (await import('./rehearse.ts')).rehearseCommand,
  },
  doctor: {
    description: 'Check whether a run would succeed, without writing anything.',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  files: {
    description: 'List, print, pack and prune the files of earlier runs.',
    load: async () => (await import('../files/commands.ts')).filesCommand,
  },
  bundle: {
    description: 'Check, show and make bundles.',
    load: async () => (await import('../show/commands.ts')).bundleCommand,
  },
  'dev-site': {
    description: 'Run a simulated site on this machine, to try the tool on.',
    load: async () => (await import('./dev-site.ts')).devSiteCommand,
  },
  completion: {
    description: 'Print a script that lets a shell complete commands and options.',
    load: async () => (await import('../completion/table.ts')).completionCommand,
  },
};

/** Names of all commands, in the order of the help. */
export const commandNames = Object.keys(entries);

/** Arguments that require all commands to be loaded. */
const needsAll = new Set(['completion']);

/** All commands; fully loaded only those that a call with these arguments may need. */
export const commands = (shell: SyncShell, args: readonly string[]): Promise<Command[]> =>
  loadCommands(entries, shell, args.some((word) => needsAll.has(word)) ? commandNames : args);

const noCommand = 'no command was given';

/** Writes the summary of an invalid call, which reaches no command that would write it. */
const writeWrongCall = async (shell: SyncShell, path: string, message: string): Promise<void> => {
  const { writeSummary } = await import('../summary/write.ts');
  await writeSummary(shell, path, { command: null, dryRun: false, code: 2, reason: 'usage', facts: { message } });
};

/** Runs a call of the tool; never throws. */
export const runTool = async (shell: SyncShell, args: readonly string[]): Promise<ExitCode> => {
  const program = await syncProgram(shell, args);
  let wrong = args.length === 0 ? noCommand : undefined;
  const code = await runProgram(shell, program, args, (error) => {
    if (error instanceof CommanderError && error.exitCode !== 0)
      wrong = error.code === 'commander.help' ? noCommand : error.message;
  });
  const path = summaryPath(shell, program);
  if (wrong !== undefined && path !== undefined) await writeWrongCall(shell, path, wrong);
  return code;
};

/** Creates the program; commands that the arguments do not name are not fully loaded. */
export const syncProgram = async (shell: SyncShell, args: readonly string[] = commandNames): Promise<Command> =>
  createProgram(shell, about, await commands(shell, args))
    .option('--dry-run', 'before the subcommand: show every write instead of sending it')
    .option('--summary-file <file>', 'write the outcome of the call as JSON of at most 4096 bytes (or SUMMARY_FILE)');
