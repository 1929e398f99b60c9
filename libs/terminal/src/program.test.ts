import { RelayError } from '@ranger-relay/errors';
import test from 'ava';
import { Command } from 'commander';
import { createProgram, loadCommands, runProgram } from './program.ts';
import { recordingShell } from './testing/index.ts';

const entry = (name: string, loaded: string[]) => ({
  description: `What ${name} does`,
  load: async () => {
    loaded.push(name);
    return (by: string) => new Command(name).option(`--${by}`);
  },
});

test('only what a call names is loaded, and every command is listed in order', async (t) => {
  const loaded: string[] = [];
  const entries = { up: entry('up', loaded), look: entry('look', loaded) };
  const commands = await loadCommands(entries, 'fast', ['--verbose', 'look']);
  t.deepEqual(loaded, ['look']);
  t.deepEqual(
    commands.map((command) => [command.name(), command.description(), command.options.length]),
    [
      ['up', 'What up does', 0],
      ['look', 'What look does', 1],
    ],
  );
});

const about = { name: 'ranger-relay', description: 'Carries.', version: '1.2.3', example: 'ranger-relay up' };

const harness = () => {
  const shell = recordingShell();
  const calls: unknown[] = [];
  const good = new Command('good')
    .option('--name <name>', 'a name')
    .addHelpText('after', '\nExample:\n  $ ranger-relay good')
    .action((options: unknown) => void calls.push(options));
  const bad = new Command('bad').action(() => {
    throw new RelayError('dead_letter_unknown', { details: { id: 'x' } });
  });
  const group = new Command('group').addCommand(new Command('child').action(() => void calls.push('child')));
  const program = createProgram(shell, about, [good, bad, group]);
  return { shell, calls, run: (...args: string[]) => runProgram(shell, program, args) };
};

test('a command runs with its options and ends with 0', async (t) => {
  const { run, calls } = harness();
  t.is(await run('good', '--name', 'a'), 0);
  t.deepEqual(calls, [{ name: 'a' }]);
});

test('a failing command says why on standard error and ends with 1', async (t) => {
  const { run, shell } = harness();
  t.is(await run('bad'), 1);
  t.regex(shell.errors.join('\n'), /There is no dead letter x/);
  t.deepEqual(shell.lines, []);
});

for (const args of [
  ['nothing'],
  ['good', '--unknown'],
  ['good', '--name'],
  ['group', 'nobody'],
  ['good', 'too', 'many'],
])
  test(`the wrong call "${args.join(' ')}" ends with 2 and points to --help`, async (t) => {
    const { run, shell, calls } = harness();
    t.is(await run(...args), 2);
    t.regex(shell.errors.join('\n'), /error: /);
    t.regex(shell.errors.join('\n'), /--help/);
    t.deepEqual(calls, []);
  });

test('without a command the help goes to standard error and the end is 2', async (t) => {
  const { run, shell } = harness();
  t.is(await run(), 2);
  t.regex(shell.errors.join('\n'), /Usage: ranger-relay/);
  t.deepEqual(shell.lines, []);
});

test('help goes to standard output, tells the exit codes and ends with 0', async (t) => {
  for (const args of [['--help'], ['good', '--help'], ['group', '--help'], ['group', 'child', '--help']]) {
    const { run, shell } = harness();
    t.is(await run(...args), 0);
    t.is(shell.lines.join('\n').split('Exit codes:').length, 2);
    t.deepEqual(shell.errors, []);
  }
});

test('whoever runs a program hears what its call ended in', async (t) => {
  const heard: unknown[] = [];
  const shell = recordingShell();
  const bad = new Command('bad').action(() => {
    throw new RelayError('usage', { details: { problem: 'no' } });
  });
  const program = createProgram(shell, about, [bad]);
  t.is(await runProgram(shell, program, ['bad'], (error) => heard.push(error)), 2);
  t.true(heard[0] instanceof RelayError);
});

test('the version is printed', async (t) => {
  const { run, shell } = harness();
  t.is(await run('--version'), 0);
  t.deepEqual(shell.lines, ['1.2.3']);
});

test('a command of a command runs', async (t) => {
  const { run, calls } = harness();
  t.is(await run('group', 'child'), 0);
  t.deepEqual(calls, ['child']);
});
