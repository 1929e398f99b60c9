import { readFile } from 'node:fs/promises';
import { alignColumns, printable, type Shell, wholeOption } from '@ranger-relay/terminal';
import { Command, Option } from 'commander';
import { act, type Result } from '../program/action.ts';
import { type Output, outputFlag } from '../program/flags.ts';
import { fileNamed, filesIn, sha256Of } from './folder.ts';
import { packedLines } from './pack.ts';
import { prune } from './prune.ts';

const list = async (folder: string): Promise<Result> => {
  const files = await Promise.all(
    (await filesIn(folder)).map(async (file) => ({
      name: file.name,
      bytes: file.bytes,
      modified_at: new Date(file.modifiedMs).toISOString(),
      sha256: await sha256Of(file),
    })),
  );
  const rows = files.map(({ name, bytes, modified_at, sha256 }) => [
    sha256,
    String(bytes),
    modified_at,
    printable(name),
  ]);
  return { code: 0, lines: alignColumns(rows, ['left', 'right', 'left', 'left']), json: { folder, files } };
};

/** `files list`: lists the files that runs have left in a folder. */
export const listCommand = (shell: Shell): Command =>
  outputFlag(
    new Command('list')
      .description('List the files that runs have left: SHA-256, bytes, when they were written, name.')
      .argument('<dir>', 'folder of the checklist'),
  )
    .addHelpText('after', '\nExample:\n  $ sync-tool files list .')
    .action((folder: string, { output }: { readonly output: Output }, command: Command) =>
      act({ shell, command, output }, () => list(folder)),
    );

const pack = async (folder: string): Promise<Result> => ({
  code: 0,
  lines: await packedLines(await filesIn(folder)),
  json: {},
});

/** `files pack`: prints all files of a folder in a form that fits into a log. */
export const packCommand = (shell: Shell): Command =>
  new Command('pack')
    .description('Print all files that runs have left as one compressed archive (tar.gz) in base64.')
    .argument('<dir>', 'folder of the checklist')
    .addHelpText('after', '\nExample:\n  $ sync-tool files pack . | base64 -d | tar -tz')
    .action((folder: string, _: object, command: Command) =>
      act({ shell, command, output: 'text' }, () => pack(folder)),
    );

/** Removes the last line break, because standard output adds one to every line. */
const linesOf = (content: string): string[] => (content === '' ? [] : content.replace(/\n$/, '').split('\n'));

const print = async (folder: string, name: string): Promise<Result> => {
  const { path } = fileNamed(folder, await filesIn(folder), name);
  const text = await readFile(path, 'utf8');
  return { code: 0, lines: linesOf(text), json: { name, text } };
};

/** `files print`: prints one file unchanged. */
export const printCommand = (shell: Shell): Command =>
  new Command('print')
    .description('Print a file that a run has left, as it is.')
    .argument('<dir>', 'folder of the checklist')
    .argument('<name>', 'name of the file')
    .addHelpText('after', '\nExample:\n  $ sync-tool files print . checklist.md')
    .action((folder: string, name: string, _: object, command: Command) =>
      act({ shell, command, output: 'text' }, () => print(folder, name)),
    );

interface Flags {
  readonly keep: number;
  readonly spare?: readonly string[];
  readonly output: Output;
}

const run = async (folder: string, { keep, spare = [] }: Flags): Promise<Result> => {
  const { deleted, left } = await prune(folder, { keep, spare: new Set(spare.map(Number)) });
  const lines = [...deleted.map((number) => `deleted: ${number}`), `${deleted.length} deleted, ${left} left unchanged`];
  return { code: 0, lines, json: { folder, deleted, left } };
};

/** `files prune`: deletes the files of older runs. */
export const pruneCommand = (shell: Shell): Command =>
  outputFlag(
    new Command('prune')
      .description('Delete what older runs have left in numbered folders; what was not finished stays.')
      .argument('<dir>', 'folder that holds the numbered folders')
      .addOption(
        new Option('--keep <n>', 'how many runs stay, and how many plans that were not carried out')
          .argParser(wholeOption(1, 1_000))
          .makeOptionMandatory(),
      )
      .option('--spare <folder...>', 'numbers of folders that stay in any case'),
  )
    .addHelpText('after', '\nExample:\n  $ sync-tool files prune north-1f2e3d4c --keep 10')
    .action((folder: string, flags: Flags, command: Command) =>
      act({ shell, command, output: flags.output }, () => run(folder, flags)),
    );

/** `files`: manages the files of runs where no other tool can. */
export const filesCommand = (shell: Shell): Command =>
  new Command('files')
    .addCommand(listCommand(shell))
    .addCommand(printCommand(shell))
    .addCommand(packCommand(shell))
    .addCommand(pruneCommand(shell));
