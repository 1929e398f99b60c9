import { RelayError } from '@ranger-relay/errors';
import { patterns } from '@ranger-relay/runtime';
import type { Catalogue } from '../define/catalogue.ts';
import { type Crontab, type FieldKind, fieldKinds, maxOffset, minOffset, parseCrontab } from './crontab.ts';

const { oneOf, optional, wholeNumbers } = patterns;

/** A blank or the end of a line. */
const blank = '[ \\t\\r\\n]';

const step = optional('/(?:[1-9][0-9]{0,2}|0[1-9][0-9]?|00[1-9])');

/** A name, as the operator writes it. */
const spellings = (name: string): readonly string[] => [
  name,
  name.toUpperCase(),
  name.charAt(0).toUpperCase() + name.slice(1),
];

/** The syntax of a field: numbers, names, ranges and stars with steps. */
const fieldOf = ({ min, max, names }: FieldKind): string => {
  const value = oneOf([`0?${wholeNumbers(min, max)}`, ...names.flatMap(spellings)]);
  const part = oneOf([`\\*${step}`, `${value}${optional(`-${value}${step}`)}`]);
  return `${part}(?:,${part})*`;
};

/** Hours of at most two digits. */
const hours = (most: number): string => oneOf(['0?[0-9]', wholeNumbers(10, most)]);

const offset = oneOf([`-${hours(-minOffset)}`, `[+]?${hours(maxOffset)}`]);

const crontab = `${fieldKinds.map(fieldOf).join(`${blank}+`)}${optional(`${blank}+${offset}`)}`;

/**
 * Pattern of schedule overrides: `<action id>:<crontab>`, separated by semicolons. The pattern does not check whether the action exists,
 * whether it occurs only once, whether a range is reversed, or whether any year has such a day.
 */
export const overridesPattern = `^${blank}*(?:[a-z0-9_]{1,100}${blank}*:${blank}*${crontab}${blank}*(?:;${blank}*|$))+$`;

/** The schedule of a pull action. */
export interface Schedule {
  readonly actionId: string;
  readonly crontab: Crontab;
  /** The origin of the schedule: the operator at registration, the handler, or the default. */
  readonly source: 'registration' | 'handler' | 'default';
}

/** The default schedule of pull actions (platform contract, scheduling). */
const defaultSchedule = '*/10 * * * *';

const isScheduled = ({ type, internal }: Catalogue['actions'][number]): boolean => type === 'pull' && !internal;

const refuse = (crontab: string, reason: string): RelayError =>
  new RelayError('crontab_invalid', { details: { crontab, reason } });

const readOverride = (text: string, catalogue: Catalogue): readonly [string, Crontab] => {
  const colon = text.indexOf(':');
  if (colon < 0) throw refuse(text, 'it must be <action id>:<crontab>');
  const id = text.slice(0, colon).trim();
  const action = catalogue.get(id);
  const known = catalogue.actions.filter(isScheduled).map((each) => each.id);
  if (!action || !isScheduled(action))
    throw refuse(text, `"${id}" is no pull action; those are ${known.join(', ') || 'none here'}`);
  return [id, parseCrontab(text.slice(colon + 1).trim())];
};

/**
 * The schedules of a catalogue's pull actions, sorted by id.
 * @param overrides `<action id>:<crontab>`, split at the first colon; they override the schedules of the handlers
 * @throws RelayError `crontab_invalid`
 */
export const schedulesOf = (catalogue: Catalogue, overrides: readonly string[] = []): readonly Schedule[] => {
  const given = new Map<string, Crontab>();
  for (const override of overrides) {
    const [id, crontab] = readOverride(override, catalogue);
    if (given.has(id)) throw refuse(override, `${id} already has a schedule`);
    given.set(id, crontab);
  }
  return catalogue.actions.filter(isScheduled).map(({ id, crontab }) => {
    const set = given.get(id);
    if (set) return { actionId: id, crontab: set, source: 'registration' };
    if (crontab) return { actionId: id, crontab, source: 'handler' };
    return { actionId: id, crontab: parseCrontab(defaultSchedule), source: 'default' };
  });
};

/** Splits a list of overrides at semicolons, because crontabs contain commas. */
export const overridesOf = (list: string | undefined): readonly string[] =>
  (list ?? '')
    .split(';')
    .map((item) => item.trim())
    .filter(Boolean);
