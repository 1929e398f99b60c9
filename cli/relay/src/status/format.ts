import { alignColumns, humanAgo, humanCount, humanSpan, type Paint, plural, printable } from '@ranger-relay/terminal';
import type { IntegrationStatus, Status } from './model.ts';

const serviceLines = ({ services }: Status, paint: Paint): string[] =>
  alignColumns(
    [
      [paint.bold('service'), paint.bold('state')],
      ...services.map(({ name, ready }) => [printable(name), ready ? paint.green('ready') : paint.red('not ready')]),
    ],
    ['left', 'left'],
  );

const header = ['integration', 'observations', 'messages', 'last event', 'oldest unsent', 'parked', 'dead letters'];

const loud = (count: number, style: (text: string) => string): string => (count > 0 ? style(humanCount(count)) : '0');

const integrationCells = (item: IntegrationStatus, now: number, paint: Paint): string[] => [
  printable(item.id),
  humanCount(item.accepted_observations),
  humanCount(item.accepted_messages),
  humanAgo(item.last_event_at, now),
  item.oldest_unsent_seconds === 0 ? '–' : humanSpan(item.oldest_unsent_seconds),
  loud(item.parked, paint.yellow),
  loud(item.dead_letters, paint.red),
];

const integrationLines = ({ integrations }: Status, now: number, paint: Paint): string[] =>
  integrations.length === 0
    ? ['No events have come yet.']
    : alignColumns(
        [header.map(paint.bold), ...integrations.map((item) => integrationCells(item, now, paint))],
        ['left', 'right', 'right', 'right', 'right', 'right', 'right'],
      );

/** The status as lines: services, then integrations, then dead letters that belong to none. */
export const statusLines = (status: Status, unassigned: number, now: number, paint: Paint): string[] => [
  ...serviceLines(status, paint),
  '',
  ...integrationLines(status, now, paint),
  ...(unassigned > 0 ? ['', `${plural(unassigned, 'dead letter')} without an integration: ranger-relay dlq list`] : []),
];
