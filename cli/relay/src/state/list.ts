import { alignColumns, humanAgo, plural, printable, printableJson, wholeOption } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { integrationArgument, outputOption, type Output } from '../actions/options.ts';
import { withStores } from '../program/stores.ts';
import { stateEntries, type StateEntry } from './entries.ts';
import type { StateDependencies } from './parts.ts';

interface Options {
  readonly action?: string;
  readonly limit: number;
  readonly output: Output;
}

const rowOf = ({ action, source, bytes, as_of: asOf, lease }: StateEntry, now: number): string[] => [
  printable(action),
  printable(source),
  String(bytes),
  lease ? 'a run is under way' : asOf === null ? '–' : humanAgo(asOf, now),
];

const header = ['ACTION', 'SOURCE', 'BYTES', 'AS OF'];

/** `state list`: what is stored for the actions of an integration. */
export const listCommand = ({ shell, openStores }: StateDependencies): Command =>
  new Command('list')
    .description('Print what is stored for the actions of an integration')
    .argument('<integration>', 'id of the integration', integrationArgument)
    .option('--action <name>', 'of this action alone')
    .option('--limit <n>', 'at most so many', wholeOption(1, 1_000_000), 1_000)
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay state list 3f1c2a01-6f0b-4a53-9a61-0f3d4f1c2a01')
    .action((integration: string, { action, limit, output }: Options) =>
      withStores(openStores, async ({ kv }) => {
        const all = await stateEntries(kv.state, integration);
        const wanted = all.filter((entry) => action === undefined || entry.action === action);
        const entries = wanted.slice(0, limit);
        const left = wanted.length - entries.length;
        if (left > 0) shell.err(`${plural(left, 'more entry', 'more entries')} left out; --limit shows more.`);
        if (output === 'json') return shell.out(printableJson(entries, 2));
        if (entries.length === 0) return shell.out('Nothing is stored.');
        const rows = entries.map((entry) => rowOf(entry, shell.clock.now()));
        for (const line of alignColumns([header, ...rows], ['left', 'left', 'right', 'left'])) shell.out(line);
      }),
    );
