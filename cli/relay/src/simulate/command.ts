import { RelayError } from '@ranger-relay/errors';
import {
  addressOption,
  durationOption,
  humanSpan,
  percentOption,
  rateOption,
  type Shell,
  wholeOption,
} from '@ranger-relay/terminal';
import { Command, Option } from 'commander';
import { withOpen } from '../program/stores.ts';
import { createPoster, type Poster, type PosterOptions } from './post.ts';
import { runLoad, type RunOptions } from './run.ts';
import { type Progress, progressBar, progressLine, summaryLines } from './summary.ts';
import { textCommand } from './text.ts';

/** Dependencies of the command. */
export interface SimulateDependencies {
  readonly shell: Shell;
  /** Makes the connections; `createPoster` when left out. */
  readonly connect?: (options: PosterOptions) => Poster;
}

interface Options extends Omit<RunOptions, 'durationMs' | 'graceMs' | 'seed'> {
  readonly url: string;
  readonly token: string;
  readonly integration?: string;
  readonly duration: number;
  readonly grace: number;
  readonly seed?: number;
}

const plainEveryMs = 5_000;

/** On a terminal a bar every second, otherwise a plain line every five. */
const reporter = (shell: Shell): ((progress: Progress) => void) => {
  let told = 0;
  return (progress) => {
    if (shell.interactive) return shell.progress(progressBar(progress, shell.columns));
    if (progress.elapsedMs - told < plainEveryMs) return;
    told = progress.elapsedMs;
    shell.err(progressLine(progress));
  };
};

const simulate = async ({ shell, connect = createPoster }: SimulateDependencies, options: Options): Promise<void> => {
  const {
    url,
    token,
    integration,
    duration,
    grace,
    seed = Math.floor(shell.random.next() * 1e9),
    ...traffic
  } = options;
  shell.err(
    `Sending ${traffic.rate} events/s of ${traffic.devices} devices for ${humanSpan(duration / 1000)} (--seed ${seed})`,
  );
  const { clock, random } = shell;
  const open = () => connect({ url, token, integration, connections: traffic.connections, clock });
  await withOpen(open, async ({ post }) => {
    const run = { ...traffic, seed, durationMs: duration, graceMs: grace };
    const parts = { post, clock, random, interrupted: shell.interrupted(), onProgress: reporter(shell) };
    const { tally, elapsedMs } = await runLoad(run, parts);
    shell.progress('');
    for (const line of summaryLines(tally, elapsedMs, shell.paint)) shell.out(line);
    const count = tally.posts - tally.acknowledgedPosts;
    if (count > 0) throw new RelayError('simulation_unacknowledged', { details: { count, total: tally.posts } });
  });
};

/** Checked here because the parser would require them for each subcommand too. */
const required = (command: Command, given: Pick<Partial<Options>, 'url' | 'token'>): void => {
  const missing = given.url === undefined ? '--url <address>' : '--token <token>';
  if (given.url === undefined || given.token === undefined)
    command.error(`error: required option '${missing}' not specified`, {
      code: 'commander.missingMandatoryOptionValue',
    });
};

const example = `
Example:
  $ ranger-relay simulate --url http://127.0.0.1:8081/webhooks --token <token> \\
      --integration <id> --devices 200 --rate 100 --duration 1m --sos 2 --duplicates 5%`;

/** `simulate`: sends the traffic of a fleet to an ingester. */
export const simulateCommand = (dependencies: SimulateDependencies): Command =>
  new Command('simulate')
    .addCommand(textCommand(dependencies.shell))
    .option('--url <address>', 'webhook address of the ingester (required)', addressOption)
    .option('--token <token>', 'token of the integration (required)')
    .option('--integration <id>', 'integration, when the address does not name it')
    .option('--devices <n>', 'devices of the fleet', wholeOption(1, 100_000), 50)
    .option('--rate <n>', 'events per second of the whole fleet', rateOption(100_000), 10)
    .addOption(new Option('--duration <span>', 'how long to send').argParser(durationOption).default(30_000, '30s'))
    .option('--batch <n>', 'events in one POST', wholeOption(1, 10_000), 1)
    .option('--duplicates <percent>', 'events that are sent twice', percentOption, 0)
    .option('--disorder <percent>', 'events that are sent after newer ones', percentOption, 0)
    .option('--sos <n>', 'SOS calls, each declared, confirmed and cancelled', wholeOption(0, 10_000), 0)
    .option('--bad <percent>', 'unreadable events among the good ones', percentOption, 0)
    .option('--seed <n>', 'seed of the fleet (default: random)', wholeOption(0, 1e9))
    .option('--connections <n>', 'maximum number of concurrent POSTs', wholeOption(1, 1_000), 8)
    .addOption(
      new Option('--grace <span>', 'how long to retry the last POSTs').argParser(durationOption).default(30_000, '30s'),
    )
    .addHelpText('after', example)
    .action((options: Options, command: Command) => {
      required(command, options);
      return simulate(dependencies, options);
    });
