import { STATUS_CODES } from 'node:http';
import { alignColumns, humanCount, humanSpan, type Paint, plural } from '@ranger-relay/terminal';
import type { Tally } from './tally.ts';

const milliseconds = (ms: number): string => (ms < 10 ? `${ms.toFixed(1)} ms` : `${humanCount(Math.round(ms))} ms`);

const meaning = (name: string): string => STATUS_CODES[name] ?? (/^\d+$/.test(name) ? '' : 'no answer');

const answerRows = ({ answers }: Tally, paint: Paint): string[][] =>
  [...answers]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, count]) => [
      '  answers',
      name === '200' ? paint.green(name) : paint.red(name),
      humanCount(count),
      meaning(name),
    ]);

const latencyLine = ({ latencies }: Tally): string =>
  ['p50', 'p99']
    .map((name) => `${name} ${milliseconds(latencies.quantile(Number(name.slice(1)) / 100))}`)
    .concat(`max ${milliseconds(latencies.max())}`)
    .join(', ');

const amongThem = ({ duplicates, bad, sos }: Tally['made']): string => {
  const parts = [
    duplicates > 0 ? plural(duplicates, 'duplicate') : '',
    bad > 0 ? `${humanCount(bad)} bad` : '',
    sos > 0 ? `${humanCount(sos)} SOS` : '',
  ].filter(Boolean);
  return parts.length > 0 ? ` (${parts.join(', ')} among them)` : '';
};

const storedLine = ({ observations, messages, rejected }: Tally): string =>
  `${plural(observations, 'observation')}, ${plural(messages, 'message')}; ${humanCount(rejected)} rejected`;

/** What a run came to, as lines. */
export const summaryLines = (tally: Tally, elapsedMs: number, paint: Paint): string[] => {
  const seconds = elapsedMs / 1000;
  const rate = seconds > 0 ? humanCount(Math.round(tally.acknowledgedEvents / seconds)) : '0';
  return [
    paint.bold(`Sent for ${humanSpan(Math.round(seconds * 10) / 10)}, ${rate} events/s`),
    `  events   ${humanCount(tally.acknowledgedEvents)} of ${humanCount(tally.made.events)} acknowledged${amongThem(tally.made)}`,
    `  stored   ${storedLine(tally)}`,
    `  POSTs    ${humanCount(tally.acknowledgedPosts)} of ${humanCount(tally.posts)} acknowledged, ${plural(tally.retries, 'retry', 'retries')}`,
    `  latency  ${latencyLine(tally)}`,
    ...alignColumns(answerRows(tally, paint), ['left', 'left', 'right', 'left']),
  ];
};
