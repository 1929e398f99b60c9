import { humanCount, humanSpan, plural } from '@ranger-relay/terminal';
import type { Tally } from './tally.ts';

/** How far a run is. */
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

/** One plain line, where there is no terminal. */
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
