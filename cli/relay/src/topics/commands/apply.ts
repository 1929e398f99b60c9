import { Command, Option } from 'commander';
import type { TopicChange, TopicKeeper, TopicState } from '@ranger-relay/bus/kafka';
import { plural, printable, printableJson, type Shell } from '@ranger-relay/terminal';
import { withKeeper, type OpenKeeper } from '../keeper.ts';
import { patiently } from '../patience.ts';
import { waitOption } from './check.ts';
import { replicationOption, warnOfSingleCopies } from './create.ts';

interface Options {
  readonly output: string;
  readonly wait: number;
  readonly replication?: number;
  readonly raisePartitions?: true;
}

interface Applied {
  readonly created: readonly string[];
  readonly raised: readonly TopicChange[];
  readonly topics: readonly TopicState[];
}

const defaultWaitMs = 10_000;

/** What a look still has to end, though it was just ended: the broker that was asked has not heard of it yet. */
const isBehind = ({ isMendable, isNarrow }: TopicState, { raisePartitions }: Options): boolean =>
  isMendable || (isNarrow && raisePartitions === true);

const missingOf = (states: readonly TopicState[]): readonly string[] =>
  states.filter(({ partitions }) => partitions === null).map(({ name }) => name);

/**
 * Brokers show a change a moment after they have made it, one after the other: it is done once two looks find nothing more to do. A topic was
 * created when the first look did not find it: the answer to its creation, or what follows, may fail and be tried again.
 */
const applied = async (shell: Shell, keeper: TopicKeeper, options: Options): Promise<Applied> => {
  const created = new Set<string>();
  let isLookedAt = false;
  const raised = new Map<string, Set<string>>();
  const topics = await patiently(shell, options.wait, async () => {
    if (!isLookedAt) for (const name of missingOf(await keeper.check())) created.add(name);
    isLookedAt = true;
    const made = await keeper.create(options.replication);
    for (const name of made) created.add(name);
    const changes = await keeper.raise({ partitions: options.raisePartitions ?? false });
    for (const { name, did } of changes) raised.set(name, new Set([...(raised.get(name) ?? []), ...did]));
    if (made.length + changes.length > 0) return null;
    const states = await keeper.check();
    return states.some((state) => isBehind(state, options)) ? null : states;
  });
  return {
    created: [...created],
    raised: [...raised].map(([name, did]) => ({ name, did: [...did] })),
    topics,
  };
};

/** Fewer partitions than wanted lose nothing: that alone must hold up no installation. */
const isLeft = ({ problems, isNarrow }: TopicState): boolean => problems.length > (isNarrow ? 1 : 0);

const linesOf = ({ created, raised, topics }: Applied): string[] => [
  ...created.map((name) => `created ${name}`),
  ...raised.flatMap(({ name, did }) => did.map((what) => `${name}: ${what}`)),
  ...topics.flatMap(({ name, problems }) => problems.map((problem) => `${name} ${problem}`)),
  ...topics.flatMap(({ name, notes }) => notes.map((note) => `note: ${name} ${note}`)),
  created.length + raised.length === 0
    ? `${plural(topics.length, 'topic')} looked at, nothing to do`
    : `${plural(created.length, 'topic')} created, ${plural(raised.length, 'topic')} raised`,
];

/** `topics apply`: makes what is missing and raises what is too little; safe to repeat. */
export const applyCommand = (shell: Shell, open: OpenKeeper): Command =>
  new Command('apply')
    .description('Create the topics that are missing and raise what is too little; nothing is lowered or deleted')
    .addOption(replicationOption())
    .option(
      '--raise-partitions',
      'add partitions too, to topics of which no record waits: later ones of the same source would overtake it',
    )
    .addOption(waitOption().default(defaultWaitMs, '10s'))
    .addOption(new Option('--output <form>', 'what is printed').choices(['text', 'json']).default('text'))
    .addHelpText('after', '\nExample:\n  $ ranger-relay topics apply --wait 2m --replication 3')
    .action((options: Options) =>
      withKeeper(open, async (keeper) => {
        const result = await applied(shell, keeper, options);
        if (options.output === 'json') shell.out(printableJson(result));
        else for (const line of linesOf(result)) shell.out(printable(line));
        warnOfSingleCopies(shell, result.topics);
        if (result.topics.some(isLeft)) shell.fail();
      }),
    );
