import test from 'ava';
import { Command } from 'commander';
import { loadCommands } from './lazy-commands.ts';

const entry = (name: string, loaded: string[]) => ({
  description: `What ${name} does`,
  load: async () => {
    loaded.push(name);
    return (by: string) => new Command(name).description(`What ${name} does`).option(`--${by}`);
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
