import { backfillOf, rolledBack, watermarkOf, wholeAction, type StateValue } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { momentOption } from '@ranger-relay/terminal';
import type { Command } from 'commander';
import { carryOut, placeCommand, withChangeOptions, type ChangeOptions, type StateDependencies } from './parts.ts';

interface Options extends ChangeOptions {
  readonly to: number;
  readonly clearBackfill?: true;
}

const usage = (problem: string): RelayError => new RelayError('usage', { details: { problem } });

/** The state set back. @throws RelayError `usage` when that is no way back */
export const rollback = (present: StateValue, to: number, clearBackfill: boolean): StateValue => {
  const at = watermarkOf(present);
  if (at === undefined && clearBackfill && backfillOf(present)) return rolledBack(present, undefined, true);
  if (at === undefined)
    throw usage('No run has finished yet, so there is nothing to set back; the next run starts at start_datetime.');
  if (to > at)
    throw usage(
      `${new Date(to).toISOString()} is after the watermark ${new Date(at).toISOString()}; use \`state set\` to skip.`,
    );
  return rolledBack(present, to, clearBackfill);
};

/** `state rollback`: has the next run take over again what came since a moment. */
export const rollbackCommand = (dependencies: StateDependencies): Command =>
  withChangeOptions(placeCommand('rollback'))
    .description('Set the watermark of an action back, so that its next run takes over again what came since')
    .requiredOption(
      '--to <time>',
      'a span before now like 2d, or an ISO time',
      momentOption(() => dependencies.shell.clock.now()),
    )
    .option('--clear-backfill', 'also forget an unfinished back-fill')
    .addHelpText(
      'after',
      '\nExample:\n  $ ranger-relay state rollback 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01 pull_events --to 2026-01-31T00:00:00Z',
    )
    .action((integration: string, action: string, options: Options) => {
      const { to, clearBackfill = false, if: shown, force = false, output } = options;
      const make = (present: StateValue): StateValue => {
        if (backfillOf(present) && !clearBackfill)
          dependencies.shell.err('The unfinished back-fill goes on beside it; --clear-backfill forgets it.');
        return rollback(present, to, clearBackfill);
      };
      const change = { integration, action, source: wholeAction, make, shown, force };
      return carryOut(dependencies, 'state rollback', change, output);
    });
