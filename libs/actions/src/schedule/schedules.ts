import { RelayError } from '@ranger-relay/errors';
import { splitList } from '@ranger-relay/runtime';
import type { Catalogue } from '../define/catalogue.ts';
import { type Crontab, parseCrontab } from './crontab.ts';

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
export const overridesOf = (list: string | undefined): readonly string[] => splitList(list, ';');
