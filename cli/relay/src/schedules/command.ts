import { typeSlug } from '@ranger-relay/actions';
import { envHelp, parseEnv } from '@ranger-relay/runtime';
import { printableJson, wholeOption, type Shell } from '@ranger-relay/terminal';
import { Command, Option } from 'commander';
import { cataloguesOf } from '../actions/catalogues.ts';
import { actionsCliEnv } from '../actions/env.ts';
import { openPlatform, type OpenedPlatform } from '../register/open-platform.ts';
import { firesOf } from './fires.ts';
import { scheduleLines, type Schedules } from './format.ts';
import { readRunning, type OpenKv } from './running.ts';
import { runsOf } from './runs.ts';

/** What the command works with. */
export interface SchedulesDependencies {
  readonly shell: Shell;
  readonly openKv: OpenKv;
  readonly open?: () => OpenedPlatform;
}

interface Options {
  readonly integration?: string;
  readonly count: number;
  readonly output: string;
}

const { DATA_DIR, RUNNER_TYPE_SLUG, SCHEDULER, ACTION_SCHEDULES, KAFKA_BROKERS } = actionsCliEnv;
const schedulesEnv = { DATA_DIR, RUNNER_TYPE_SLUG, SCHEDULER, ACTION_SCHEDULES, KAFKA_BROKERS } as const;

const askPlatform = async (open: () => OpenedPlatform, id: string): Promise<Awaited<ReturnType<typeof runsOf>>> => {
  const platform = open();
  try {
    return await runsOf(platform.api, id);
  } finally {
    platform.close();
  }
};

const collect = async (
  { shell, openKv, open = () => openPlatform(shell) }: SchedulesDependencies,
  { integration, count }: Options,
): Promise<Schedules> => {
  const env = parseEnv(actionsCliEnv, shell.env);
  const runs = integration === undefined ? undefined : await askPlatform(open, integration);
  const now = shell.clock.now();
  const { type, told, ...ticks } = await readRunning(shell, openKv, typeSlug(env.RUNNER_TYPE_SLUG));
  const { scheduler, schedules } = told ?? { scheduler: env.SCHEDULER, schedules: cataloguesOf(env).schedules };
  return {
    type,
    told_by: told ? 'service' : 'environment',
    scheduler,
    ...(scheduler === 'internal' ? ticks : { leader: null, last_tick: null }),
    actions: schedules.map((schedule) => firesOf(schedule, now, count, runs?.(schedule.actionId))),
  };
};

/** `schedules`: when the pull actions run next, and who sees to it. */
export const schedulesCommand = (dependencies: SchedulesDependencies): Command =>
  new Command('schedules')
    .description('Print when the pull actions run next, and who sees to it')
    .option('--integration <id>', 'ask the platform whether the schedules have an effect there')
    .option('--count <n>', 'instants of each action', wholeOption(1, 100), 3)
    .addOption(new Option('--output <form>', 'what is printed').choices(['table', 'json']).default('table'))
    .addHelpText('after', `\nEnvironment:\n${envHelp(schedulesEnv)}\n\nExample:\n  $ ranger-relay schedules --count 5`)
    .action(async (options: Options) => {
      const { shell } = dependencies;
      const found = await collect(dependencies, options);
      if (options.output === 'json') return shell.out(printableJson(found));
      for (const line of scheduleLines(found)) shell.out(line);
    });
