import { execFileSync, spawnSync } from 'node:child_process';
import test from 'ava';
import { runProgram } from '@ranger-relay/terminal';
import { syncProgram } from '../program/program.ts';
import { offersOf, type Offer } from './table.ts';
import { testShell } from '../test/shell.ts';

const whole = await syncProgram(testShell());
const offers = offersOf(whole);
const named = (path: string): Offer | undefined => offers.find(({ words }) => words.join(' ') === path);

const scriptFor = async (name: string): Promise<string> => {
  const shell = testShell();
  const args = ['completion', name];
  await runProgram(shell, await syncProgram(shell, args), args);
  return `${shell.lines.join('\n')}\n`;
};

/** A shell that is on this machine, or else undefined: it is asked only there. */
const found = (program: string): string | undefined =>
  spawnSync(program, ['--version']).status === 0 ? program : undefined;
const [zsh, fish] = [found('zsh'), found('fish')];

test('what is offered is every command and option of the program', (t) => {
  t.deepEqual(
    offers.map(({ words }) => words.join(' ')),
    [
      '',
      ...(named('')?.commands ?? []).flatMap((name) =>
        ['', ...(named(name)?.commands ?? [])].map((child) => `${name} ${child}`.trim()),
      ),
    ].filter((path) => !/\bhelp$/.test(path)),
  );
  t.true(named('bundle')?.commands.includes('sample'));
  const undo = named('undo');
  t.is(undo?.argument, 'path');
  t.deepEqual(undo?.options.find(({ names }) => names.includes('--config'))?.value, 'path');
  t.deepEqual(undo?.options.find(({ names }) => names.includes('--output'))?.value, ['text', 'json']);
  t.deepEqual(undo?.options.find(({ names }) => names.includes('--delete-subjects'))?.value, 'none');
});

test('a shell that is not known is a wrong call', async (t) => {
  const shell = testShell();
  t.is(await runProgram(shell, await syncProgram(shell), ['completion', 'tcsh']), 2);
  t.regex(shell.errors.join('\n'), /bash, zsh, fish/);
});

/** What bash would offer for a line; `<paths>` where it would complete paths itself. */
const bashOffers = (script: string, ...line: readonly string[]): readonly string[] => {
  const ask = `${script}
compopt() { echo '<paths>'; }
COMP_WORDS=(sync-tool "$@"); COMP_CWORD=$#; _sync_tool
printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', ask, 'bash', ...line], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
};

test('bash offers after each command its commands and options', async (t) => {
  const script = await scriptFor('bash');
  for (const { words, commands, options, argument } of offers) {
    const flags = options.flatMap(({ names }) => names);
    t.deepEqual(
      bashOffers(script, ...words, '--').toSorted(),
      flags.filter((name) => name.startsWith('--')).toSorted(),
    );
    const known = typeof argument === 'string' ? [] : argument;
    if (argument === 'path') t.deepEqual(bashOffers(script, ...words, ''), ['<paths>']);
    else t.deepEqual(bashOffers(script, ...words, '').toSorted(), [...commands, ...known, ...flags].toSorted());
  }
});

test('bash offers behind an option what it takes', async (t) => {
  const script = await scriptFor('bash');
  for (const { words, options } of offers)
    for (const { names, value } of options.filter((option) => option.value !== 'none')) {
      const found = bashOffers(script, ...words, names[0] ?? '', '');
      t.deepEqual(found, value === 'path' ? ['<paths>'] : value === 'text' ? [] : value, names[0]);
    }
});

test('bash follows a command through global options and begins of words', async (t) => {
  const script = await scriptFor('bash');
  t.deepEqual(bashOffers(script, '--dry-run', 'patr'), ['patrol-datamodel']);
  t.deepEqual(bashOffers(script, '--dry-run', 'undo', 'record.json', '--del'), ['--delete-subjects']);
  t.deepEqual(bashOffers(script, 'bundle', 'sample', '--preset', 'very'), ['very-large']);
});

/** The part of the zsh script that completes one command. */
const zshFunction = (script: string, words: readonly string[]): string =>
  script.split(`${['_sync_tool', ...words].join('_').replaceAll('-', '_')}() {`)[1]?.split('\n}')[0] ?? '';

test('zsh is given each option with its description and what it takes, and each command', async (t) => {
  const script = await scriptFor('zsh');
  for (const { words, commands, options } of offers) {
    const text = zshFunction(script, words);
    const specs = [...text.matchAll(/^ {4}'\*(-[^[]+)\[/gm)].map(([, name]) => name);
    t.deepEqual(
      specs,
      options.flatMap(({ names }) => names),
    );
    t.deepEqual(
      [...text.matchAll(/^ {8}'([a-z-]+):/gm)].map(([, name]) => name),
      [...commands],
    );
    for (const name of commands.filter((each) => each !== 'help'))
      t.regex(text, new RegExp(`^ {8}${name}\\) _sync_tool_`, 'm'));
  }
});

test('the zsh script closes every quote', async (t) => {
  for (const line of (await scriptFor('zsh')).split('\n'))
    t.is((line.replaceAll("'\\''", '').match(/'/g) ?? []).length % 2, 0, line);
});

if (zsh)
  test('zsh can read its script', async (t) => {
    t.is(spawnSync(zsh, ['-n'], { input: await scriptFor('zsh'), encoding: 'utf8' }).stderr, '');
  });

test('fish is given each option and command under the commands before it', async (t) => {
  const lines = (await scriptFor('fish')).split('\n');
  for (const { words, commands, options } of offers) {
    const start =
      words.length === 0
        ? "-n 'not "
        : `-n '${words.map((word) => `__fish_seen_subcommand_from ${word}`).join('; and ')}`;
    const own = lines.filter((line) =>
      line.includes(`${start}${words.length === 0 ? '' : commands.length > 0 ? '; and not ' : "'"}`),
    );
    for (const { names } of options) {
      const long = (names[0] ?? '').slice(2);
      t.is(own.filter((line) => new RegExp(` -l ${long}\\b(?!-)`).test(line)).length, 1, `${words.join(' ')} ${long}`);
    }
    for (const name of commands)
      t.true(
        own.some((line) => line.includes(` -a ${name} `)),
        name,
      );
  }
});

if (fish)
  test('fish offers the commands of a command', async (t) => {
    const ask = `${await scriptFor('fish')}\ncomplete -C 'sync-tool bundle '`;
    const found = spawnSync(fish, ['-c', ask], { encoding: 'utf8' }).stdout;
    for (const name of ['validate', 'show', 'sample']) t.regex(found, new RegExp(`^${name}\\t`, 'm'));
  });
