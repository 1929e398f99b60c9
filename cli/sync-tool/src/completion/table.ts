import { Argument, Command, type Option } from 'commander';
import type { Shell } from '@ranger-relay/terminal';
import { about, formOf } from '../program/flags.ts';
import { bashScript, fishScript, zshScript } from './scripts.ts';

/** The value of an option or an argument. */
export type Value = 'none' | 'path' | 'text' | readonly string[];

/** An option as offered by the shell. */
export interface OptionOffer {
  /** `--force`, and `-h` if it has a short form. */
  readonly names: readonly string[];
  readonly description: string;
  readonly value: Value;
}

/** The words that can follow one command. */
export interface Offer {
  /** Words after the name of the tool; empty for the tool itself. */
  readonly words: readonly string[];
  readonly description: string;
  readonly options: readonly OptionOffer[];
  readonly commands: readonly string[];
  readonly argument: Value;
}

const offeredPaths = new Set(['dir', 'file', 'path', 'record']);

const valueOf = (choices: readonly string[] | undefined, name: string | undefined): Value => {
  if (choices !== undefined) return choices;
  if (name === undefined) return 'none';
  return offeredPaths.has(name) ? 'path' : 'text';
};

/** The name of the value that an option's flags announce. */
const valueName = (flags: string): string | undefined => /[<[]([a-z-]+)/.exec(flags)?.[1];

const optionOffer = ({ short, long, description, argChoices, flags }: Option): OptionOffer => ({
  names: [long, short].flatMap((name) => name ?? []),
  description,
  value: valueOf(argChoices, valueName(flags)),
});

const argumentValue = (argument: Argument | undefined): Value => valueOf(argument?.argChoices, argument?.name());

/** All commands of a program with their options and arguments, the tool itself first. Each of them includes help. */
export const offersOf = (command: Command, words: readonly string[] = []): readonly Offer[] => {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  return [
    {
      words,
      description: command.description(),
      options: help.visibleOptions(command).map(optionOffer),
      commands: children.map((child) => child.name()),
      argument: argumentValue(command.registeredArguments[0]),
    },
    ...children
      .filter((child) => child.name() !== 'help')
      .flatMap((child) => offersOf(child, [...words, child.name()])),
  ];
};

/** The value of an option: none, text, the path of a file or folder, one of several words, or a whole number within bounds. */
type Takes =
  | 'nothing'
  | 'text'
  | 'path'
  | { readonly words: readonly string[] }
  | { readonly min: number; readonly max: number }
  | { readonly pattern: string };

/** An option as data, for programs that call the tool. */
interface TableOption {
  readonly option: string;
  /** The camel-case name for JSON: `rosterGroup`. */
  readonly name: string;
  readonly about: string;
  readonly takes: Takes;
  /** Whether the option may be given several times. */
  readonly many: boolean;
  readonly needed: boolean;
}

/** A command as data. */
export interface TableCommand {
  readonly words: readonly string[];
  readonly about: string;
  readonly arguments: readonly { readonly name: string; readonly many: boolean }[];
  readonly options: readonly TableOption[];
}

const pathNames = new Set(['dir', 'file', 'path']);

const takesOf = ({ flags, long, argChoices, parseArg }: Option): Takes => {
  const name = valueName(flags);
  if (name === undefined) return 'nothing';
  if (argChoices) return { words: argChoices };
  const { min, max } = (parseArg ?? {}) as { min?: number; max?: number };
  if (min !== undefined && max !== undefined) return { min, max };
  const pattern = formOf(long ?? '');
  if (pattern !== undefined) return { pattern };
  return pathNames.has(name) ? 'path' : 'text';
};

const optionOf = (option: Option): TableOption => ({
  option: option.long ?? option.flags,
  name: option.attributeName(),
  about: option.description,
  takes: takesOf(option),
  many: option.variadic,
  needed: option.mandatory,
});

/** All executable commands of a program with their options; the program itself first. */
export const tableOf = (command: Command, words: readonly string[] = []): readonly TableCommand[] => [
  ...(words.length > 0 && command.commands.length > 0
    ? []
    : [
        {
          words,
          about: command.description(),
          arguments: command.registeredArguments.map((each) => ({ name: each.name(), many: each.variadic })),
          options: command.options.map(optionOf),
        },
      ]),
  ...command.commands.flatMap((child) => tableOf(child, [...words, child.name()])),
];

const scripts = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

type Form = keyof typeof scripts | 'json';

const example = `
Examples:
  $ source <(sync-tool completion bash)
  $ sync-tool completion zsh > "\${fpath[1]}/_sync-tool"
  $ sync-tool completion fish > ~/.config/fish/completions/sync-tool.fish`;

/** `completion`: prints the completion script for a shell. Requires a program with all commands fully loaded. */
export const completionCommand = (shell: Shell): Command => {
  const command = new Command('completion')
    .addArgument(
      new Argument('<shell>', 'shell that is to read it; json: the same as data').choices([
        ...Object.keys(scripts),
        'json',
      ]),
    )
    .addHelpText('after', example);
  return command.action((name: Form) => {
    const program = command.parent ?? command;
    if (name === 'json') return shell.out(JSON.stringify(tableOf(program), null, 2));
    const script = scripts[name](about.name, offersOf(program));
    for (const line of script.trimEnd().split('\n')) shell.out(line);
  });
};
