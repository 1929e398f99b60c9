import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';
import { act, type Result } from '../program/action.ts';
import { fileNamed, filesIn } from './folder.ts';

/** Standard output ends every line itself. */
const linesOf = (content: string): string[] => (content === '' ? [] : content.replace(/\n$/, '').split('\n'));

const print = async (folder: string, name: string): Promise<Result> => {
  const { path } = fileNamed(folder, await filesIn(folder), name);
  const text = await readFile(path, 'utf8');
  return { code: 0, lines: linesOf(text), json: { name, text } };
};

/** `files print`: one file as it is. */
export const printCommand = (shell: Shell): Command =>
  new Command('print')
    .description('Print a file that a run has left, as it is.')
    .argument('<dir>', 'folder of the checklist')
    .argument('<name>', 'name of the file')
    .addHelpText('after', '\nExample:\n  $ sync-tool files print . checklist.md')
    .action((folder: string, name: string, _: object, command: Command) =>
      act({ shell, command, output: 'text' }, () => print(folder, name)),
    );
