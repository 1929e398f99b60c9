import { activityLevel } from '@ranger-relay/contracts';
import { type Paint, printable } from '@ranger-relay/terminal';
import type { TimedEntry } from './entry.ts';

const levelOf = ({ entry }: TimedEntry): number =>
  entry.payload.level ?? (entry.event_type.endsWith('Failed') ? activityLevel.error : activityLevel.info);

const levelWord = (level: number, paint: Paint): string => {
  if (level >= activityLevel.error) return paint.red('ERROR');
  if (level >= activityLevel.warning) return paint.yellow('WARN ');
  return level >= activityLevel.info ? 'INFO ' : paint.dim('DEBUG');
};

const simple = (value: unknown): string => {
  if (typeof value === 'string') return value.slice(0, 200);
  return JSON.stringify(value)?.slice(0, 200) ?? '';
};

const pairs = (value: unknown): string =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value)
        .map(([name, item]) => `${name}=${simple(item)}`)
        .join(' ')
    : simple(value);

/** What an entry says beyond its type: its action, title, result, error and data. */
export const entryText = ({ entry }: TimedEntry): string => {
  const { action_id: action, title, result, error, data } = entry.payload as Record<string, unknown>;
  return [action, title, result, error, data]
    .filter((part) => part !== undefined && part !== null)
    .map((part) => (typeof part === 'string' ? part : pairs(part)))
    .join(' · ');
};

/** An entry on one line: time, level, integration, what happened. */
export const entryLine = (timed: TimedEntry, paint: Paint): string => {
  const { entry, at } = timed;
  const text = entryText(timed);
  return [
    paint.dim(new Date(at).toISOString()),
    levelWord(levelOf(timed), paint),
    printable(entry.payload.integration_id ?? '–'),
    paint.bold(printable(entry.event_type.replace(/^Integration/, ''))),
    printable(text),
  ]
    .join('  ')
    .trimEnd();
};
