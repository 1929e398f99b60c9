import process from 'node:process';
import { recordingShell } from '@ranger-relay/terminal/testing';
import test from 'ava';
import { commandNames, commands } from './commands.ts';

const described = async (args: readonly string[]): Promise<readonly string[]> =>
  (await commands(recordingShell(), process, args)).map((command) => `${command.name()}: ${command.description()}`);

test('the list of commands says of each what the command says of itself', async (t) => {
  t.deepEqual(await described([]), await described(commandNames));
});

test('a command that is named in a call comes whole', async (t) => {
  for (const name of commandNames) {
    const given = await commands(recordingShell(), process, ['help', name]);
    const whole = given.find((command) => command.name() === name);
    t.true(whole !== undefined && (whole.options.length > 0 || whole.commands.length > 0), name);
  }
});
