import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { recordingShell, shellLines, shellWords } from '@ranger-relay/terminal/testing';
import test from 'ava';
import { Command } from 'commander';
import { commandNames, commands } from './commands.ts';

const root = new URL('../../../../', import.meta.url);
const pages = [
  'UPGRADING.md',
  ...readdirSync(new URL('k8s/runbooks', root))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `k8s/runbooks/${name}`),
];

/** The call of the program in a line, as it is written for a person: on one machine, in a container, or by its alias. */
const callIn = (line: string): string[] | undefined => {
  const [, call] =
    /^(?:(?:npx )?ranger-relay|kubectl exec \S+ -- node \/app\/ranger-relay\.mjs) (.+)$/.exec(line) ?? [];
  return call === undefined ? undefined : shellWords(call);
};

/** Problems of a call; empty when the program has the command and its options, and accepts the number of arguments. */
const problemsOf = (program: Command, words: readonly string[]): string[] => {
  const [name = '', ...rest] = words;
  const child = program.commands.find((each) => each.name() === name);
  if (child) return problemsOf(child, rest);
  const isOption = program.options.some(({ long }) => long === name);
  if (program.commands.length > 0 && !isOption) return [`there is no command ${name}`];
  const problems: string[] = [];
  let given = 0;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const option = program.options.find(({ long }) => long === word);
    if (option) at += Number(option.required || option.optional);
    else if (word.startsWith('-')) problems.push(`there is no option ${word}`);
    else given += 1;
  }
  const { registeredArguments: takes } = program;
  const many = takes.some(({ variadic }) => variadic);
  if (given > takes.length && !many) problems.push(`it takes ${takes.length} arguments`);
  if (given < takes.filter(({ required }) => required).length) problems.push('an argument is missing');
  return problems;
};

const program = new Command().option('--version');
for (const each of await commands(recordingShell(), process, commandNames)) program.addCommand(each);

test('every call in the runbooks and in UPGRADING.md is one that the program takes', (t) => {
  let calls = 0;
  for (const page of pages)
    for (const line of shellLines(readFileSync(new URL(page, root), 'utf8'))) {
      const words = callIn(line);
      if (!words) continue;
      calls += 1;
      t.deepEqual(problemsOf(program, words), [], `${page}: ${line}`);
    }
  t.true(calls > 50, String(calls));
});

test('every runbook of what one machine can have says what to do there, where it names kubectl', (t) => {
  const ofCluster = /Relay(?:Pod|PatrolSync|ComponentGone|OperatorNotReady|ReconcileErrors)/;
  for (const page of pages.filter((name) => name.includes('/Relay') && !ofCluster.test(name))) {
    const text = readFileSync(new URL(page, root), 'utf8');
    t.true(!text.includes('kubectl ') || /one machine/i.test(text), page);
  }
});

for (const [what, call, problem] of [
  ['a command that is not there', 'dlq lost', 'there is no command lost'],
  ['an option that is not there', 'dlq list --what x', 'there is no option --what'],
  ['too many arguments', 'status now', 'it takes 0 arguments'],
  ['too few', 'dlq show', 'an argument is missing'],
] as const)
  test(`is a problem: ${what}`, (t) => {
    t.deepEqual(problemsOf(program, shellWords(call)).slice(0, 1), [problem]);
  });
