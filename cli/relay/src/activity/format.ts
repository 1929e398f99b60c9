import type { BusRecord } from '@ranger-relay/bus';
import { type ActivityEvent, activityEventSchema, activityLevel } from '@ranger-relay/contracts';
import { isObject, jsonOf } from '@ranger-relay/errors';
import { type Paint, printable } from '@ranger-relay/terminal';
import { z } from 'zod';

/** An entry of the activity log as it is read: its type may be one of a newer version. */
export type ActivityEntry = Omit<ActivityEvent, 'event_type'> & { readonly event_type: string };

/** An entry with its time, ms since 1970. */
export interface TimedEntry {
  readonly at: number;
  readonly entry: ActivityEntry;
}

const entrySchema = activityEventSchema.extend({ event_type: z.string() });

/** The entry in a record; null when this version cannot read it. An entry without a readable time gets the record's time. */
export const readEntry = (record: BusRecord): TimedEntry | null => {
  const { data: entry } = entrySchema.safeParse(jsonOf(record.value));
  if (!entry) return null;
  const at = Date.parse(entry.timestamp);
  return { at: Number.isNaN(at) ? record.timestamp : at, entry };
};

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
  isObject(value)
    ? Object.entries(value)
        .map(([name, item]) => `${name}=${simple(item)}`)
        .join(' ')
    : simple(value);

/** Text of an entry besides its type: action, title, result, error and data. */
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
