import { Command } from 'commander';
import { printable, type Shell } from '@ranger-relay/terminal';
import { summariseBundle } from '../bundle/index.ts';
import { act, type Result } from '../program/action.ts';
import { outputFlag, type Output } from '../program/flags.ts';
import { coverageOf, totalsOf } from './coverage.ts';
import { bundleJson } from './json.ts';
import { coverageLines, summaryLines } from './lines.ts';
import { readShown } from './read-shown.ts';

const show = async (shell: Shell, path: string): Promise<Result> => {
  const bundle = await readShown(shell, path);
  const { paint } = shell;
  const summary = summariseBundle(bundle);
  const warnings = summary.warnings.map((text) => paint.yellow(printable(`Warning: ${text}`)));
  return {
    code: 0,
    lines: [
      ...summaryLines(summary, paint),
      '',
      ...coverageLines(coverageOf(bundle), totalsOf(bundle), paint),
      ...(warnings.length === 0 ? [] : ['', ...warnings]),
    ],
    json: bundleJson(bundle),
  };
};

/** `bundle show`: what a bundle holds, and in which languages. */
export const showCommand = (shell: Shell): Command =>
  outputFlag(
    new Command('show')
      .description('Show what a bundle holds, and how much of it has a label in each language.')
      .argument('<dir>', 'folder of the bundle'),
  )
    .addHelpText('after', '\nExample:\n  $ sync-tool bundle show export')
    .action((path: string, { output }: { readonly output: Output }, command: Command) =>
      act({ shell, command, output }, () => show(shell, path)),
    );
