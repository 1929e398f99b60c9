import { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';

/** A command as the list of all shows it; `load` brings what it does. */
interface Entry {
  readonly description: string;
  readonly load: () => Promise<(shell: Shell) => Command>;
}

const entries: Readonly<Record<string, Entry>> = {
  'patrol-datamodel': {
    description: 'Create or update on the site everything that the import of patrols needs.',
    load: async () => (await import('./patrol-datamodel.ts')).patrolDatamodelCommand,
  },
  apply: {
    description:
      'Carry out a plan that was made before; stop before the first write when the site is not as the plan saw it.',
    load: async () => (await import('./apply.ts')).applyCommand,
  },
  undo: {
    description: 'Take runs back, newest first; what somebody has changed since is left as it is and named.',
    load: async () => (await import('./undo.ts')).undoCommand,
  },
  resume: {
    description: 'Finish a run that was broken off or failed, in the same record.',
    load: async () => (await import('./resume.ts')).resumeCommand,
  },
  verify: {
    description:
      'Look whether the site has everything that the bundle asks for, and tick what is done. Nothing is written to the site.',
    load: async () => (await import('./verify.ts')).verifyCommand,
  },
  doctor: {
    description: 'Look whether a run would work, without writing anything.',
    load: async () => (await import('./doctor.ts')).doctorCommand,
  },
  bundle: {
    description: 'Check, show and make bundles.',
    load: async () => (await import('./bundle.ts')).bundleCommand,
  },
  'dev-site': {
    description: 'Run a simulated site on this machine, to try the tool on.',
    load: async () => (await import('./dev-site.ts')).devSiteCommand,
  },
  completion: {
    description: 'Print a script that lets a shell complete commands and options.',
    load: async () => (await import('./completion.ts')).completionCommand,
  },
};

/** Names of all commands, in the order of the help. */
export const commandNames = Object.keys(entries);

/** Names that make a call need every command. */
const needsAll = new Set(['completion']);

/**
 * All commands: whole those that a call with these arguments may need, of the others name and description alone. The start is not to wait for
 * what is not called.
 */
export const commands = async (shell: Shell, args: readonly string[]): Promise<Command[]> => {
  const wanted = new Set(args.some((word) => needsAll.has(word)) ? commandNames : args);
  return Promise.all(
    Object.entries(entries).map(async ([name, { description, load }]) =>
      wanted.has(name) ? (await load())(shell) : new Command(name).description(description),
    ),
  );
};
