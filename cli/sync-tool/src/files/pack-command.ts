import { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';
import { act, type Result } from '../program/action.ts';
import { filesIn } from './folder.ts';
import { packedLines } from './pack.ts';

const pack = async (folder: string): Promise<Result> => ({
  code: 0,
  lines: await packedLines(await filesIn(folder)),
  json: {},
});

/** `files pack`: all files of a folder in a form that a log can carry. */
export const packCommand = (shell: Shell): Command =>
  new Command('pack')
    .description('Print all files that runs have left as one compressed archive (tar.gz) in base64.')
    .argument('<dir>', 'folder of the checklist')
    .addHelpText('after', '\nExample:\n  $ sync-tool files pack . | base64 -d | tar -tz')
    .action((folder: string, _: object, command: Command) =>
      act({ shell, command, output: 'text' }, () => pack(folder)),
    );
