import { Command } from 'commander';
import { alignColumns, printable, type Shell } from '@ranger-relay/terminal';
import { act, type Result } from '../program/action.ts';
import { outputFlag, type Output } from '../program/flags.ts';
import { filesIn, sha256Of } from './folder.ts';

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

/** `files list`: what runs have left in a folder. */
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
