import { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';
import { readBundle } from '../bundle/read/read-bundle.ts';
import { act } from './action.ts';
import { outputFlag, type Output } from './flags.ts';

const validate = (shell: Shell): Command =>
  outputFlag(
    new Command('validate').description('Check a bundle as a run would.').argument('<dir>', 'folder of the bundle'),
  ).action((path: string, { output }: { output: Output }) =>
    act(shell, output, async () => {
      const { manifest, warnings } = await readBundle(path);
      const { area, timezone } = manifest;
      return {
        code: 0,
        lines: [
          ...warnings.map(({ text }) => `Warning: ${text}`),
          `The bundle of ${area.name} (${area.id}), ${timezone.name}, is valid; ${warnings.length} warnings.`,
        ],
        json: { area, warnings: warnings.map(({ text }) => text) },
      };
    }),
  );

/** `bundle`: looks into bundles, and makes one to try. */
export const bundleCommand = (shell: Shell): Command =>
  new Command('bundle').description('Check, show and make bundles.').addCommand(validate(shell));
