import { alignColumns, printable } from '@ranger-relay/terminal';
import type { ActionFires } from './fires.ts';
import type { Running } from './running.ts';

/** What the command found. */
export interface Schedules extends Omit<Running, 'told'> {
  /** The running service, or without one the environment of this command. */
  readonly told_by: 'service' | 'environment';
  readonly scheduler: 'internal' | 'platform';
  readonly actions: readonly ActionFires[];
}

const sources = { registration: 'ACTION_SCHEDULES', handler: 'the handler', default: 'the default' } as const;

const rowsOf = ({ action, crontab, source, next, runs }: Schedules['actions'][number]): string[][] => {
  const fires = next.length > 0 ? next : [{ utc: 'never', local: '' }];
  return fires.map(({ utc, local }, index) =>
    index === 0 ? [action, utc, local, crontab, sources[source], runs ?? ''] : ['', utc, local, '', '', ''],
  );
};

const whoTicks = ({ scheduler, leader, last_tick: tick }: Schedules): string => {
  if (scheduler === 'platform') return 'The platform ticks, as it was registered.';
  const who = leader === null ? 'No leader is known' : `The leader is ${printable(leader)}`;
  return `${who}${tick === null ? '' : `; last tick ${printable(tick)}`}.`;
};

/** The table with what stands above it. */
export const scheduleLines = (found: Schedules): readonly string[] => [
  `Integration type ${found.type}. ${whoTicks(found)}`,
  ...(found.told_by === 'environment'
    ? ['No running action runner tells its schedules here; these are those of the environment of this command.']
    : []),
  ...alignColumns(
    [
      ['ACTION', 'UTC', 'LOCAL', 'CRONTAB', 'FROM', found.actions.some(({ runs }) => runs) ? 'RUNS' : ''],
      ...found.actions.flatMap(rowsOf),
    ],
    ['left', 'left', 'left', 'left', 'left', 'left'],
  ),
];
