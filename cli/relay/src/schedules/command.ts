import { runnerType } from '@ranger-relay/action-runner';
import { nextFire, type Schedule, typeSlug } from '@ranger-relay/actions';
import { parseEnv } from '@ranger-relay/runtime';
import { alignColumns, printable, type Shell, wholeOption } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { cataloguesOf } from '../actions/catalogues.ts';
import { actionsCliEnv } from '../actions/env.ts';
import { integrationArgument, integrationHelp } from '../actions/options.ts';
import { emptySpace, openLook } from '../actions/look.ts';
import { type OpenedPlatform, openPlatform } from '../actions/platform-api.ts';
import { silentLog } from '../actions/workbench.ts';
import { outputOption, print } from '../program/output.ts';
import { storesHelp } from '../program/open-stores.ts';
import { type StoreOpeners, withOpen } from '../program/stores.ts';
import { readRunning, type Running, runsOf } from './running.ts';

/** One instant of a schedule. */
export interface Fire {
  readonly utc: string;
  /** In the schedule's time zone. */
  readonly local: string;
}

/** The next instants of one action. */
export interface ActionFires {
  readonly action: string;
  readonly crontab: string;
  readonly source: Schedule['source'];
  readonly next: readonly Fire[];
  /** Only when an integration was named. */
  readonly runs?: string | undefined;
}

const hourMs = 3_600_000;

const offsetText = (hours: number): string => `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}:00`;

/** An instant at an offset of this many hours from UTC. */
const localTime = (at: number, hours: number): string =>
  `${new Date(at + hours * hourMs).toISOString().slice(0, 16)}${offsetText(hours)}`;

/** The next instants after `now`. */
export const firesOf = (
  { actionId, crontab, source }: Schedule,
  now: number,
  count: number,
  runs?: string,
): ActionFires => {
  const next: Fire[] = [];
  for (let at = nextFire(crontab, now); next.length < count; at = nextFire(crontab, at))
    next.push({ utc: `${new Date(at).toISOString().slice(0, 16)}Z`, local: localTime(at, crontab.offsetHours) });
  return { action: actionId, crontab: crontab.text, source, next, ...(runs === undefined ? {} : { runs }) };
};

/** Result of the command. */
export interface Schedules extends Omit<Running, 'told'> {
  /** The running service, or without one the environment of this command. */
  readonly told_by: 'service' | 'environment';
  readonly scheduler: 'internal' | 'platform';
  readonly actions: readonly ActionFires[];
}

const sources = { registration: 'ACTION_SCHEDULES', handler: 'the handler', default: 'the default' } as const;

const rowsOf = ({ action, crontab, source, next, runs }: Schedules['actions'][number]): string[][] =>
  next.map(({ utc, local }, index) =>
    index === 0 ? [action, utc, local, crontab, sources[source], runs ?? ''] : ['', utc, local, '', '', ''],
  );

const whoTicks = ({ scheduler, leader, last_tick: tick }: Schedules): string => {
  if (scheduler === 'platform') return 'The platform starts the scheduled actions, as registered.';
  const who = leader === null ? 'No leader is known' : `The leader is ${printable(leader)}`;
  return `${who}${tick === null ? '' : `; last tick ${printable(tick)}`}.`;
};

/** The table with the lines above it. */
export const scheduleLines = (found: Schedules): readonly string[] => [
  `Integration type ${found.type}. ${whoTicks(found)}`,
  ...(found.told_by === 'environment'
    ? ['No running action runner reports its schedules; these are the schedules of the environment of this command.']
    : []),
  ...alignColumns(
    [
      ['ACTION', 'UTC', 'LOCAL', 'CRONTAB', 'FROM', found.actions.some(({ runs }) => runs) ? 'RUNS' : ''],
      ...found.actions.flatMap(rowsOf),
    ],
    ['left', 'left', 'left', 'left', 'left', 'left'],
  ),
];

/** Dependencies of the command. */
export interface SchedulesDependencies extends Pick<StoreOpeners, 'openKv'> {
  readonly shell: Shell;
  readonly open?: () => OpenedPlatform;
}

interface Options {
  readonly integration?: string;
  readonly count: number;
  readonly output: string;
}

const { RUNNER_TYPE_SLUG, SCHEDULER, ACTION_SCHEDULES } = actionsCliEnv;
const schedulesEnv = { RUNNER_TYPE_SLUG, SCHEDULER, ACTION_SCHEDULES };

/** Whether each schedule is in effect for an integration, by action: as the platform has it now, past every cache. */
const runsByAction = (
  { shell, open = () => openPlatform(shell) }: SchedulesDependencies,
  integration: string,
  schedules: readonly Pick<Schedule, 'actionId'>[],
): Promise<ReadonlyMap<string, string>> =>
  withOpen(open, async ({ api }) => {
    const { clock, random } = shell;
    const look = openLook({ api, config: emptySpace, clock, random, log: silentLog() });
    const { catalogue } = runnerType({ ACTION_SCHEDULES: undefined });
    const runs = new Map<string, string>();
    for (const { actionId } of schedules) runs.set(actionId, await runsOf(look, catalogue, integration, actionId));
    return runs;
  });

const collect = async (dependencies: SchedulesDependencies, { integration, count }: Options): Promise<Schedules> => {
  const { shell, openKv } = dependencies;
  const env = parseEnv(actionsCliEnv, shell.env);
  const now = shell.clock.now();
  const { type, told, ...ticks } = await readRunning(shell, openKv, typeSlug(env.RUNNER_TYPE_SLUG));
  const { scheduler, schedules } = told ?? { scheduler: env.SCHEDULER, schedules: cataloguesOf(env).schedules };
  const runs = integration === undefined ? undefined : await runsByAction(dependencies, integration, schedules);
  return {
    type,
    told_by: told ? 'service' : 'environment',
    scheduler,
    ...(scheduler === 'internal' ? ticks : { leader: null, last_tick: null }),
    actions: schedules.map((schedule) => firesOf(schedule, now, count, runs?.get(schedule.actionId))),
  };
};

/** `schedules`: when the pull actions run next, and which process starts them. */
export const schedulesCommand = (dependencies: SchedulesDependencies): Command =>
  new Command('schedules')
    .option(
      '--integration <id>',
      `ask the platform whether the schedules are in effect there: ${integrationHelp}`,
      integrationArgument,
    )
    .option('--count <n>', 'instants of each action', wholeOption(1, 100), 3)
    .addOption(outputOption('table'))
    .addHelpText('after', `${storesHelp(schedulesEnv)}\n\nExample:\n  $ ranger-relay schedules --count 5`)
    .action(async (options: Options) => {
      const { shell } = dependencies;
      const found = await collect(dependencies, options);
      print(shell, options.output, found, () => scheduleLines(found));
    });
