import { STATUS_CODES } from 'node:http';
import { alignColumns, humanCount, humanSpan, type Paint, plural } from '@ranger-relay/terminal';
import type { Tally } from './tally.ts';

/** Progress of a run. */
export interface Progress {
  readonly elapsedMs: number;
  readonly durationMs: number;
  readonly tally: Tally;
}

const figures = ({ elapsedMs, tally }: Progress): string => {
  const rate = elapsedMs > 0 ? Math.round((tally.acknowledgedEvents * 1000) / elapsedMs) : 0;
  const failing = tally.posts - tally.acknowledgedPosts;
  const open = failing > 0 ? `, ${plural(failing, 'POST')} open` : '';
  return `${humanCount(tally.acknowledgedEvents)} events acknowledged, ${humanCount(rate)}/s${open}`;
};

/** One plain line, without a terminal. */
export const progressLine = (progress: Progress): string =>
  `${humanSpan(Math.round(progress.elapsedMs / 1000))}: ${figures(progress)}`;

/** A bar of the time that has passed with the figures behind it, within the width of the terminal. */
export const progressBar = (progress: Progress, columns: number): string => {
  const text = ` ${figures(progress)}`;
  const width = Math.max(10, Math.min(40, columns - text.length - 8));
  const share = Math.min(1, progress.elapsedMs / progress.durationMs);
  const full = Math.floor(share * width);
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  return `${'█'.repeat(full)}${'░'.repeat(width - full)} ${percent}${text}`.slice(0, Math.max(20, columns - 1));
};

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
  [
    ...[50, 99].map((percent) => `p${percent} ${milliseconds(latencies.percentile(percent) / 1_000)}`),
    `max ${milliseconds(latencies.max / 1_000)}`,
  ].join(', ');

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

/** Summary of a run, as lines. */
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
