import process from 'node:process';
import { openEmbeddedKv } from '@ranger-relay/kv';
import { testContext } from '@ranger-relay/runtime/testing';
import { createProgram, runProgram } from '@ranger-relay/terminal';
import { recordingShell, testAbout } from '@ranger-relay/terminal/testing';
import test from 'ava';
import type { Command } from 'commander';
import { storePaths } from '../data-dir/files.ts';
import { temporaryFolder } from '../data-dir/test/folder.ts';
import { commandNames, commands } from './commands.ts';
import { resolveIntegration } from './integrations.ts';

const [north, south, other] = [
  '5e0c3c5e-0000-4000-8000-000000000001',
  '5e0c3c5e-0000-4000-8000-000000000002',
  'aaaaaaaa-0000-4000-8000-000000000003',
] as const;
const known = [
  { id: north, name: 'Park' },
  { id: south, name: 'park ' },
  { id: other, name: 'Lake' },
];
const unknown = 'bbbbbbbb-0000-4000-8000-000000000004';

for (const [given, id] of [
  [other, other],
  [other.toUpperCase(), other],
  ['AAAA', other],
  [' lake ', other],
  [unknown, unknown],
] as const)
  test(`"${given}" is the integration ${id}`, (t) => t.is(resolveIntegration(given, known), id));

for (const [given, problem] of [
  ['5e0c', 'may be any of these'],
  ['park', 'may be any of these'],
  ['pond', 'is neither the id, the beginning of an id, nor the name'],
] as const)
  test(`"${given}" is refused with the candidates`, (t) => {
    const message = t.throws(() => resolveIntegration(given, known))?.message ?? '';
    t.true(message.includes(problem));
    for (const { id } of known) t.is(message.includes(id), problem.startsWith('is') || id !== other);
  });

/** Commands that take an integration, with those above them. */
const takers = (command: Command, above: readonly string[] = []): readonly (readonly string[])[] => {
  const path = [...above, command.name()];
  const values: Readonly<Record<string, string>> = { integration: 'park', action: 'pull_events', json: '{}' };
  const required = command.registeredArguments.filter((argument) => argument.required);
  const isTaker =
    required.some((argument) => argument.name() === 'integration') ||
    command.options.some((option) => option.long === '--integration');
  const mandatory = command.options.filter((option) => option.mandatory && option.long !== '--integration');
  const own = [
    ...path,
    ...required.map((argument) => values[argument.name()] ?? 'x'),
    ...mandatory.flatMap(({ long }) => [long ?? '', '2d']),
  ];
  const call = required.some((argument) => argument.name() === 'integration') ? own : [...own, '--integration', 'park'];
  const below = command.commands.flatMap((child) => takers(child, path));
  return isTaker && command.name() !== 'simulate' ? [call, ...below] : below;
};

test('every command that takes an integration refuses a name that two have, with both, and ends with 2', async (t) => {
  const DATA_DIR = await temporaryFolder(t);
  const kv = await openEmbeddedKv({ ...testContext(), path: storePaths(DATA_DIR).kv });
  for (const { id, name } of known) await kv.config.set(`integration.${id}`, JSON.stringify({ value: { name } }));
  await kv.close();
  const run = async (args: readonly string[]) => {
    const shell = recordingShell({ env: { DATA_DIR } });
    const program = createProgram(shell, testAbout, await commands(shell, process, args));
    return { code: await runProgram(shell, program, args), err: shell.errors.join('\n') };
  };
  const calls = (await commands(recordingShell(), process, commandNames)).flatMap((command) => takers(command));
  t.true(calls.length >= 12, String(calls.length));
  for (const args of calls) {
    const { code, err } = await run(args);
    t.is(code, 2, `${args.join(' ')}: ${err}`);
    t.true(err.includes(north) && err.includes(south), args.join(' '));
  }
  const { err } = await run(['why', unknown, 'pull_events']);
  t.true(err.startsWith(`No service has served an integration ${unknown}`), err);
});
