import type { Bus } from '@ranger-relay/bus';
import { repeatAtRate } from '@ranger-relay/runtime';
import { momentOption, plural, printableJson, type Shell, wholeOption } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { integrationArgument, integrationHelp } from '../actions/options.ts';
import { outputOption } from '../program/output.ts';
import { type StoreOpeners, withOpen } from '../program/stores.ts';
import { followEntries, readPast } from './follow.ts';
import { entryLine, type TimedEntry } from './format.ts';

/** Dependencies of the command. */
export interface ActivityDependencies extends Pick<StoreOpeners, 'openBus' | 'activityTopic' | 'sender'> {
  readonly shell: Shell;
}

interface Options {
  readonly follow?: true;
  readonly integration?: string;
  readonly since?: number;
  readonly limit: number;
  readonly output: string;
}

const defaultLimit = 1_000;

/** An aborted reading ends without an error. */
const untilAborted = async (signal: AbortSignal, work: () => Promise<void>): Promise<void> => {
  try {
    await work();
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

const lookMs = 2_000;

/** Reports when `up` ends and when it runs again, until the returned function is called: without `up` no entries arrive. */
const watchRunning = ({ shell, sender }: ActivityDependencies): (() => void) => {
  let runs = true;
  const look = (): void => {
    if ((sender() !== 'nobody') === runs) return;
    runs = !runs;
    shell.err(runs ? '`up` runs again.' : '`up` does not run; new entries come once it does.');
  };
  look();
  return repeatAtRate({ clock: shell.clock, everyMs: lookMs }, look);
};

const print = async (dependencies: ActivityDependencies, options: Options): Promise<void> => {
  const { shell, openBus, activityTopic } = dependencies;
  const { follow, limit, output, ...filter } = options;
  const name = activityTopic();
  const signal = shell.interrupted();
  const line = (timed: TimedEntry): void =>
    shell.out(output === 'json' ? printableJson(timed.entry) : entryLine(timed, shell.paint));
  const read = async (bus: Bus): Promise<void> => {
    const { entries, older, position } = await readPast(bus, name, filter, limit, signal);
    if (older > 0 && limit === defaultLimit)
      shell.err(`${plural(older, 'older entry', 'older entries')} left out; --limit shows more.`);
    entries.forEach(line);
    if (!follow) return;
    const unwatch = watchRunning(dependencies);
    try {
      for await (const timed of followEntries(bus, name, filter, position, signal)) line(timed);
    } finally {
      unwatch();
    }
  };
  await withOpen(openBus, (bus) => untilAborted(signal, () => read(bus)));
};

/** `activity`: the activity log in time order, from the bus itself; beside a running `up` or without one. */
export const activityCommand = (dependencies: ActivityDependencies): Command =>
  new Command('activity')
    .option('--follow', 'print new events until interrupted')
    .option('--integration <id>', `only of this integration: ${integrationHelp}`, integrationArgument)
    .option(
      '--since <time>',
      'only entries since then: a span like 30m or 2h, or an ISO time',
      momentOption(() => dependencies.shell.clock.now()),
    )
    .option('--limit <n>', 'maximum number of past entries, the newest', wholeOption(1, 1_000_000), defaultLimit)
    .addOption(outputOption())
    .addHelpText('after', '\nExample:\n  $ ranger-relay activity --follow --since 10m')
    .action((options: Options) => print(dependencies, options));
