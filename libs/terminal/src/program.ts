import { Command } from 'commander';
import { endingOf, type ExitCode } from './failure.ts';
import type { Shell } from './shell.ts';

/** A command in the list of commands; `load` imports its implementation. */
export interface LazyCommand<Context> {
  /** Of the command, which has none itself. */
  readonly description: string;
  readonly load: () => Promise<(context: Context) => Command>;
}

/**
 * Returns all commands of a tool: loads the wanted ones and creates the others with name and description only, to save start-up time and
 * memory.
 * @param wanted names that a call may need; may contain all its arguments
 */
export const loadCommands = <Context>(
  entries: Readonly<Record<string, LazyCommand<Context>>>,
  context: Context,
  wanted: readonly string[],
): Promise<Command[]> =>
  Promise.all(
    Object.entries(entries).map(async ([name, { description, load }]) =>
      (wanted.includes(name) ? (await load())(context) : new Command(name)).description(description),
    ),
  );

const exitCodes = (more: readonly string[]): string =>
  [
    '\nExit codes:',
    '    0  done',
    '    1  failed, wholly or in part; standard error says what and what to check',
    '    2  the call was wrong',
    ...more,
    '  130  interrupted',
  ].join('\n');

const asLine =
  (print: (line: string) => void) =>
  (text: string): void =>
    print(text.replace(/\n$/, ''));

/** Sets output and exit handling, which commands created elsewhere do not inherit. */
const adopt = (command: Command, shell: Shell, endings: string): void => {
  command
    .exitOverride()
    .configureOutput({ writeOut: asLine(shell.out), writeErr: asLine(shell.err) })
    .showHelpAfterError('(add --help for the usage)');
  if (command.parent) command.addHelpText('after', endings);
  for (const child of command.commands) adopt(child, shell, endings);
};

/** The help of a program. */
export interface About {
  readonly name: string;
  readonly description: string;
  readonly version: string;
  /** An example call. */
  readonly example: string;
  /** Exit codes that only this tool has, as `    3  meaning`. */
  readonly exitCodes?: readonly string[];
}

/** Creates the program of these commands. */
export const createProgram = (shell: Shell, about: About, commands: readonly Command[]): Command => {
  const { name, description, version, example, exitCodes: more = [] } = about;
  const program = new Command(name)
    .description(description)
    .version(version)
    .addHelpText('after', `${exitCodes(more)}\n\nExample:\n  $ ${example}`);
  for (const command of commands) program.addCommand(command);
  adopt(program, shell, exitCodes(more));
  return program;
};

/** `help` explains a command below another one too, which the parser's own does not. */
const explicit = (args: readonly string[]): readonly string[] =>
  args[0] === 'help' && args.length > 1 ? [...args.slice(1), '--help'] : args;

/**
 * Runs a call and returns its exit code; never throws. `Shell.fail` may have set another exit code.
 * @param onFailure called with the error before it is printed
 */
export const runProgram = async (
  shell: Shell,
  program: Command,
  args: readonly string[],
  onFailure?: (error: unknown) => void,
): Promise<ExitCode> => {
  try {
    if (args.length === 0) {
      program.outputHelp({ error: true });
      return 2;
    }
    await program.parseAsync([...explicit(args)], { from: 'user' });
    return 0;
  } catch (error) {
    onFailure?.(error);
    const { code, lines } = endingOf(error);
    for (const line of lines) shell.err(line);
    return code;
  }
};
