import type { Shell } from '@ranger-relay/terminal';
import { Argument, Command } from 'commander';
import { bashScript, fishScript, zshScript } from '../completion/scripts.ts';
import { offersOf, tableOf } from '../completion/table.ts';
import { about } from './flags.ts';

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
