import { isObject, jsonOf, type RelayError } from '@ranger-relay/errors';
import { usage } from '@ranger-relay/terminal';
import { InvalidArgumentError } from 'commander';
import { type Place, withoutSlash } from '../actions/http.ts';
import type { ActionService } from '../actions/services.ts';

/** Members that win over the stored configuration. */
export type Overrides = Readonly<Record<string, unknown>>;

const refuse = (problem: string): InvalidArgumentError => new InvalidArgumentError(problem);

const parseObject = (text: string): Overrides => {
  const value = jsonOf(text);
  if (isObject(value)) return value;
  // The text itself may hold a secret.
  throw refuse('Expected KEY=JSON or a JSON object like \'{"subwindow_days":2}\'.');
};

const parsePair = (text: string): Overrides => {
  const [, key = '', json = ''] = /^([\w-]{1,100})=([\s\S]*)$/.exec(text) ?? [];
  if (key === '')
    throw refuse('Expected KEY=JSON, like subwindow_days=2 or start_datetime=\'"2026-01-31T00:00:00Z"\'.');
  const value = jsonOf(json);
  if (value === undefined) throw refuse(`The value of ${key} is not JSON; a text needs its quotes: ${key}='"…"'.`);
  return { [key]: value };
};

/** Takes `KEY=JSON` or a whole object, one after the other; later members win. @throws InvalidArgumentError, which shows no value */
export const overrideOption = (text: string, before: Overrides | undefined): Overrides => ({
  ...before,
  ...(text.trimStart().startsWith('{') ? parseObject(text) : parsePair(text)),
});

const unknownAction = (services: readonly ActionService[], action: string): RelayError => {
  const all = services.flatMap(({ slug, catalogue }) => catalogue.actions.map(({ id }) => `${id} (${slug})`));
  return usage(`There is no action ${action}; the actions are ${all.join(', ')}.`);
};

/**
 * Service that runs an action: the given address, else the only service with that action; with several, `typeOf` loads the integration's
 * type.
 * @throws RelayError `usage` when no service has it; what `typeOf` throws
 */
export const placeOf = async (
  services: readonly ActionService[],
  action: string,
  url: string | undefined,
  typeOf: () => Promise<ActionService>,
): Promise<Place> => {
  if (url !== undefined) return { service: 'service', url: withoutSlash(url) };
  const having = services.filter(({ catalogue }) => catalogue.get(action) !== undefined);
  const [only] = having;
  if (!only) throw unknownAction(services, action);
  const service = having.length === 1 ? only : await typeOf();
  return { service: service.name, url: withoutSlash(await service.url()) };
};
