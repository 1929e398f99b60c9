import type { Argument, Command, Option } from 'commander';

/** What stands behind an option, or in the place of an argument. */
export type Value = 'none' | 'path' | 'text' | readonly string[];

/** An option as a shell offers it. */
export interface OptionOffer {
  /** `--force`, and `-h` where there is one. */
  readonly names: readonly string[];
  readonly description: string;
  readonly value: Value;
}

/** What can follow one command. */
export interface Offer {
  /** Words after the name of the tool, none for the tool itself. */
  readonly words: readonly string[];
  readonly description: string;
  readonly options: readonly OptionOffer[];
  readonly commands: readonly string[];
  readonly argument: Value;
}

const pathNames = new Set(['dir', 'file', 'path', 'record']);

const valueOf = (choices: readonly string[] | undefined, name: string | undefined): Value => {
  if (choices !== undefined) return choices;
  if (name === undefined) return 'none';
  return pathNames.has(name) ? 'path' : 'text';
};

const optionOffer = ({ short, long, description, argChoices, flags }: Option): OptionOffer => ({
  names: [long, short].flatMap((name) => name ?? []),
  description,
  value: valueOf(argChoices, /[<[]([a-z-]+)/.exec(flags)?.[1]),
});

const argumentValue = (argument: Argument | undefined): Value => valueOf(argument?.argChoices, argument?.name());

/** Every command of a program with what it takes, the tool itself first. Help is a part of all of them. */
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
