import { Command } from 'commander';
import { plural, printable, type Shell } from '@ranger-relay/terminal';
import { act, type Result } from '../program/action.ts';
import { outputFlag, type Output } from '../program/flags.ts';
import { readShown } from './read-shown.ts';

const validate = async (shell: Shell, path: string): Promise<Result> => {
  const { manifest, usage, warnings } = await readShown(shell, path);
  const { area, timezone, exportedAt } = manifest;
  const texts = warnings.map(({ text }) => text);
  const found = texts.length === 0 ? 'no warnings' : plural(texts.length, 'warning');
  return {
    code: 0,
    lines: [
      ...texts.map((text) => shell.paint.yellow(printable(`Warning: ${text}`))),
      printable(`The bundle of ${area.name} (${area.id}) is valid: ${plural(usage.patrols, 'patrol')}, ${found}.`),
    ],
    json: { path, area, timezone, exported_at: exportedAt, patrols: usage.patrols, warnings: texts },
  };
};

/** `bundle validate`: checks a bundle as a run does before its first call. */
export const validateCommand = (shell: Shell): Command =>
  outputFlag(
    new Command('validate')
      .description('Check a bundle as a run does before it asks the site anything.')
      .argument('<dir>', 'folder of the bundle'),
  )
    .addHelpText('after', '\nExample:\n  $ sync-tool bundle validate export')
    .action((path: string, { output }: { readonly output: Output }, command: Command) =>
      act({ shell, command, output }, () => validate(shell, path)),
    );
