import { alignColumns, humanAgo, humanCount, humanSpan, type Paint, plural, printable } from '@ranger-relay/terminal';
import { briefly, sosTable } from '../sos/format.ts';
import { type IntegrationStatus, type LastRun, simulatedText, type Status } from './model.ts';
import { listedProblems } from './verdict.ts';

const serviceLines = ({ services }: Status, paint: Paint): string[] =>
  services.length === 0
    ? []
    : [
        '',
        ...alignColumns(
          [
            [paint.bold('service'), paint.bold('state')],
            ...services.map(({ name, ready }) => [
              printable(name),
              ready ? paint.green('ready') : paint.red('not ready'),
            ]),
          ],
          ['left', 'left'],
        ),
      ];

/** The verdict first, then everything else that is wrong, each with what to do. */
const verdictLines = ({ verdict: { text, problems } }: Status, paint: Paint): string[] => {
  const styles = { critical: paint.red('CRITICAL'), warning: paint.yellow('WARNING') };
  return problems.length === 0
    ? [`${paint.green('OK')}  ${printable(text)}`]
    : alignColumns(
        listedProblems(problems).flatMap(({ level, text: problem, remedy }) => [
          [styles[level], printable(problem)],
          ['', printable(remedy)],
        ]),
        ['left', 'left'],
      ).map((line) => line.trimEnd());
};

const sosLines = ({ sos }: Status, now: number, paint: Paint): string[] => {
  if (sos.length === 0) return [];
  const { shown, more } = briefly(sos);
  return ['', ...sosTable(shown, now, paint), ...(more > 0 ? [`${humanCount(more)} more: ranger-relay sos`] : [])];
};

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
  printable(item.name ?? '–'),
];

const integrationLines = ({ integrations }: Status, now: number, paint: Paint): string[] =>
  integrations.length === 0
    ? ['No event is stored yet.']
    : [
        ...alignColumns(
          [[...header, 'name'].map(paint.bold), ...integrations.map((item) => integrationCells(item, now, paint))],
          ['left', 'right', 'right', 'right', 'right', 'right', 'right', 'left'],
        ),
        paint.dim('Observations and messages: accepted by the platform since the store exists.'),
      ];

const textLines = ({ texts }: Status, paint: Paint): string[] => {
  const { accepted, failed, pending, unknown, oldest_undecided_seconds: oldest } = texts;
  if (accepted + failed + pending + unknown === 0) return [];
  const counts = [
    `${humanCount(accepted)} accepted`,
    `${loud(failed, paint.red)} failed`,
    `${loud(pending, paint.yellow)} pending`,
    `${loud(unknown, paint.yellow)} unknown`,
  ].join(', ');
  const age = pending + unknown > 0 ? `; the oldest undecided is ${humanSpan(oldest)} old` : '';
  return ['', `Texts to devices in eight days: ${counts}${age}.`];
};

const runCells = (
  { integration_id: id, action_id: action, ended_at: at, outcome }: LastRun,
  now: number,
  paint: Paint,
) => [printable(id ?? '–'), printable(action), humanAgo(at, now), outcome === 'failed' ? paint.red(outcome) : outcome];

const runLines = ({ runs }: Status, now: number, paint: Paint): string[] =>
  runs.length === 0
    ? []
    : [
        '',
        ...alignColumns(
          [
            ['integration', 'action', 'last run', 'outcome'].map(paint.bold),
            ...runs.map((run) => runCells(run, now, paint)),
          ],
          ['left', 'left', 'right', 'left'],
        ),
      ];

const unassignedLines = ({ unassigned_dead_letters: letters }: Status): string[] =>
  letters > 0 ? ['', `${plural(letters, 'dead letter')} without an integration: ranger-relay dlq list`] : [];

/** The status as lines: whether it is simulated, verdict, SOS, services, integrations, texts to devices, last runs of actions, then dead letters of no integration. */
export const statusLines = (status: Status, now: number, paint: Paint): string[] => [
  ...(status.up?.platform === 'simulated' ? [paint.yellow(simulatedText)] : []),
  ...verdictLines(status, paint),
  ...sosLines(status, now, paint),
  ...serviceLines(status, paint),
  '',
  ...integrationLines(status, now, paint),
  ...textLines(status, paint),
  ...runLines(status, now, paint),
  ...unassignedLines(status),
];
