import { recordingShell } from '@ranger-relay/terminal/testing';
import test from 'ava';
import { commandNames, syncProgram } from './program.ts';

const described = async (args: readonly string[]): Promise<readonly string[]> =>
  (await syncProgram(recordingShell(), args)).commands.map((command) => `${command.name()}: ${command.description()}`);

test('the list of commands says of each what the command says of itself', async (t) => {
  t.deepEqual(await described([]), await described(commandNames));
});

test('a command that is named in a call comes whole, with its own help', async (t) => {
  for (const name of commandNames) {
    const whole = (await syncProgram(recordingShell())).commands.find((command) => command.name() === name);
    for (const args of [[name], ['--dry-run', name, '--help'], ['help', name]]) {
      const { commands } = await syncProgram(recordingShell(), args);
      t.is(commands.find((command) => command.name() === name)?.helpInformation(), whole?.helpInformation());
    }
  }
});
