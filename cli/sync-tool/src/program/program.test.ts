import test from 'ava';
import { commandNames, syncProgram } from './program.ts';
import { testShell } from '../test/shell.ts';

test('a command that is named in a call comes whole, with its own help', async (t) => {
  for (const name of commandNames) {
    const whole = (await syncProgram(testShell())).commands.find((command) => command.name() === name);
    for (const args of [[name], ['--dry-run', name, '--help'], ['help', name]]) {
      const { commands } = await syncProgram(testShell(), args);
      t.is(commands.find((command) => command.name() === name)?.helpInformation(), whole?.helpInformation());
    }
  }
});
