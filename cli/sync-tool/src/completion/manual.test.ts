import { readFileSync } from 'node:fs';
import test from 'ava';
import type { Command } from 'commander';
import { syncProgram } from '../program/program.ts';
import { readManual } from './test/manual.ts';
import { testShell } from '../test/shell.ts';

const markdown = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
const manual = readManual(markdown);
const program = await syncProgram(testShell());

const leavesOf = (command: Command): readonly Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap(leavesOf);

const pathOf = (command: Command): string =>
  command.parent === null ? command.name() : `${pathOf(command.parent)} ${command.name()}`;

/** As a heading names it: with its arguments. */
const titleOf = (command: Command): string =>
  [pathOf(command), ...command.registeredArguments.map((each) => `<${each.name()}${each.variadic ? '...' : ''}>`)].join(
    ' ',
  );

const leaves = leavesOf(program);

test('the manual has a section for every command with its arguments, and for no other', (t) => {
  const sections = [...manual.keys()].filter((title) => title.startsWith('sync-tool '));
  t.deepEqual(
    sections,
    leaves.map(titleOf).toSorted((a, b) => sections.indexOf(a) - sections.indexOf(b)),
  );
});

for (const command of leaves)
  test(`the manual names the options of ${pathOf(command)}, all of them and no other`, (t) => {
    const rows = manual.get(titleOf(command)) ?? [];
    t.deepEqual(rows.map(({ flags }) => flags).toSorted(), command.options.map(({ flags }) => flags).toSorted());
    for (const { flags, defaultValue, mandatory } of command.options) {
      const preset = rows.find((row) => row.flags === flags)?.preset;
      if (defaultValue === undefined) t.not(preset, '', flags);
      else t.is(preset, String(defaultValue), flags);
      if (mandatory) t.is(preset, 'required', flags);
    }
  });

test('the manual names what stands before the command', (t) => {
  t.deepEqual(
    manual.get('Options')?.map(({ flags }) => flags),
    program.options.map(({ flags }) => flags),
  );
});

test('every option that a text or an example of the manual names is one', (t) => {
  const known = new Set(['--help', ...[program, ...leaves].flatMap(({ options }) => options.map(({ long }) => long))]);
  for (const [name] of markdown.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)) t.true(known.has(name), name);
});

test('the choices that the manual lists are those of the options', (t) => {
  for (const { options } of leaves)
    for (const { argChoices = [], flags } of options)
      if (!flags.startsWith('--edge-case'))
        for (const choice of argChoices) t.true(markdown.includes(`\`${choice}\``), choice);
});
