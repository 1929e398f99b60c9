import process from 'node:process';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import test from 'ava';
import type { Command } from 'commander';
import { commandNames, commands } from './commands.ts';

test('a command that is named in a call comes whole', async (t) => {
  for (const name of commandNames) {
    const given = await commands(recordingShell(), process, ['help', name]);
    const whole = given.find((command) => command.name() === name);
    t.true(whole !== undefined && (whole.options.length > 0 || whole.commands.length > 0), name);
  }
});

/** Names of a command and of those below it. */
const pathsOf = (command: Command, above: readonly string[] = []): readonly (readonly string[])[] => {
  const path = [...above, command.name()];
  return [path, ...command.commands.flatMap((below) => pathsOf(below, path))];
};

const opening = 'status sos activity dlq schedules run why state doctor probe'.split(' ');

test('every command and every command below it explains itself with --help and with help, names the place of what it opens and its exit codes once, and ends with 0', async (t) => {
  const paths = (await commands(recordingShell(), process, commandNames)).flatMap((command) => pathsOf(command));
  t.true(paths.length > commandNames.length);
  for (const path of paths)
    for (const args of [
      [...path, '--help'],
      ['help', ...path],
    ]) {
      const shell = recordingShell();
      const program = createProgram(shell, testAbout, await commands(shell, process, args));
      t.is(await runProgram(shell, program, args), 0, args.join(' '));
      const help = shell.lines.join('\n');
      t.true(help.startsWith(`Usage: ${testAbout.name} ${path.join(' ')}`), args.join(' '));
      t.is(help.match(/exit codes?:/gi)?.length, 1, args.join(' '));
      if (opening.includes(path[0] ?? '')) t.is(help.match(/^ {2}DATA_DIR$/gm)?.length, 1, args.join(' '));
    }
});
