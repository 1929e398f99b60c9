import { backfillOf, parseState, rolledBack, type StateValue, watermarkOf, wholeAction } from '@ranger-relay/actions';
import { jsonOf } from '@ranger-relay/errors';
import { mask } from '@ranger-relay/runtime';
import {
  alignColumns,
  humanAgo,
  momentOption,
  plural,
  printable,
  jsonDocument,
  wholeOption,
  usage,
} from '@ranger-relay/terminal';
import { Command, InvalidArgumentError } from 'commander';
import { masked } from '../actions/masked.ts';
import { integrationArgument, integrationHelp } from '../actions/options.ts';
import { outputOption, print } from '../program/output.ts';
import { withStores } from '../program/stores.ts';
import { keyOf, revisionOf } from './change.ts';
import { leaseSource, stateEntries, type StateEntry } from './entries.ts';
import {
  carryOut,
  type ChangeOptions,
  placeCommand,
  type StateDependencies,
  withChangeOptions,
  withSource,
} from './parts.ts';

/** `state get`: one stored state with its revision. */
export const getCommand = ({ shell, openStores }: StateDependencies): Command =>
  withSource(placeCommand('get'))
    .description('Print the state of an action, such as its watermark')
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay state get 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01 pull_events')
    .action(
      (integration: string, action: string, { source, output }: { readonly source: string; readonly output: string }) =>
        withStores(openStores, async ({ kv }) => {
          const key = keyOf({ integration, action, source });
          const text = await kv.state.get(key);
          const revision = revisionOf(text);
          const value = text === null || source === leaseSource ? text : masked(parseState(key, text));
          const shown = value === null ? 'Nothing is stored.' : jsonDocument(value);
          print(shell, output, { key, revision, value }, () => [shown, `revision ${revision}`]);
        }),
    );

interface ListOptions {
  readonly action?: string;
  readonly limit: number;
  readonly output: string;
}

const rowOf = ({ action, source, bytes, as_of: asOf, lease }: StateEntry, now: number): string[] => [
  printable(action),
  printable(source),
  String(bytes),
  lease ? 'a run is in progress' : asOf === null ? '–' : humanAgo(asOf, now),
];

const header = ['ACTION', 'SOURCE', 'BYTES', 'AS OF'];

/** `state list`: lists the stored state of the actions of an integration. */
export const listCommand = ({ shell, openStores }: StateDependencies): Command =>
  new Command('list')
    .description('Print the stored state of the actions of an integration')
    .argument('<integration>', integrationHelp, integrationArgument)
    .option('--action <name>', 'only of this action')
    .option('--limit <n>', 'maximum number of entries', wholeOption(1, 1_000_000), 1_000)
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay state list 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01')
    .action((integration: string, { action, limit, output }: ListOptions) =>
      withStores(openStores, async ({ kv }) => {
        const all = await stateEntries(kv.state, integration);
        const wanted = all.filter((entry) => action === undefined || entry.action === action);
        const entries = wanted.slice(0, limit);
        const left = wanted.length - entries.length;
        if (left > 0) shell.err(`${plural(left, 'more entry', 'more entries')} left out; --limit shows more.`);
        const rows = entries.map((entry) => rowOf(entry, shell.clock.now()));
        print(shell, output, entries, () =>
          rows.length === 0
            ? ['Nothing is stored.']
            : alignColumns([header, ...rows], ['left', 'left', 'right', 'left']),
        );
      }),
    );

/** Records of single events live so long (platform contract, site pull actions). */
const recordMs = 365 * 86_400_000;

const valueArgument = (text: string): StateValue => {
  const value = jsonOf(text);
  if (value === undefined) throw new InvalidArgumentError('It is not JSON.');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('Expected a JSON object.');
  if (text.includes(mask)) throw new InvalidArgumentError('It holds a masked value; write the real one.');
  return value as StateValue;
};

/** `state set`: replaces a stored state. */
export const setCommand = (dependencies: StateDependencies): Command =>
  withChangeOptions(withSource(placeCommand('set').argument('<json>', 'the new state', valueArgument)))
    .description('Replace the stored state')
    .addHelpText(
      'after',
      '\nExample:\n  $ ranger-relay state set 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01 pull_events \'{"last_execution":"2026-01-31T00:00:00Z"}\'',
    )
    .action((integration: string, action: string, value: StateValue, options: ChangeOptions) => {
      const { source, if: shown, force = false, output } = options;
      const ttlMs = source === wholeAction ? undefined : recordMs;
      const change = { integration, action, source, make: () => value, shown, force, ttlMs };
      return carryOut(dependencies, 'state set', change, output);
    });

interface RollbackOptions extends ChangeOptions {
  readonly to: number;
  readonly clearBackfill?: true;
}

/** The state set back. @throws RelayError `usage` when that is no way back */
export const rollback = (present: StateValue, to: number, clearBackfill: boolean): StateValue => {
  const at = watermarkOf(present);
  if (at === undefined && clearBackfill && backfillOf(present).length > 0) return rolledBack(present, undefined, true);
  if (at === undefined)
    throw usage(
      'No run has finished yet, so there is no watermark to set back; the next run starts at start_datetime.',
    );
  if (to > at)
    throw usage(
      `${new Date(to).toISOString()} is after the watermark ${new Date(at).toISOString()}; use \`state set\` to skip.`,
    );
  return rolledBack(present, to, clearBackfill);
};

/** `state rollback`: lets the next run read everything since a moment again. */
export const rollbackCommand = (dependencies: StateDependencies): Command =>
  withChangeOptions(placeCommand('rollback'))
    .description('Set the watermark of an action back, so that its next run reads everything since then again')
    .requiredOption(
      '--to <time>',
      'a span before now like 2d, or an ISO time',
      momentOption(() => dependencies.shell.clock.now()),
    )
    .option('--clear-backfill', 'also discard an unfinished back-fill')
    .addHelpText(
      'after',
      '\nExample:\n  $ ranger-relay state rollback 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01 pull_events --to 2026-01-31T00:00:00Z',
    )
    .action((integration: string, action: string, options: RollbackOptions) => {
      const { to, clearBackfill = false, if: shown, force = false, output } = options;
      const make = (present: StateValue): StateValue => {
        if (backfillOf(present).length > 0 && !clearBackfill)
          dependencies.shell.err('The unfinished back-fill continues beside it; --clear-backfill discards it.');
        return rollback(present, to, clearBackfill);
      };
      const change = { integration, action, source: wholeAction, make, shown, force };
      return carryOut(dependencies, 'state rollback', change, output);
    });

/** `state`: what actions remember from run to run, and changes of it by hand. */
export const stateCommand = (dependencies: StateDependencies): Command =>
  new Command('state')
    .addCommand(listCommand(dependencies))
    .addCommand(getCommand(dependencies))
    .addCommand(setCommand(dependencies))
    .addCommand(rollbackCommand(dependencies))
    .addHelpText('after', '\nExample:\n  $ ranger-relay state list 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01');
