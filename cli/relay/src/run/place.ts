import { RelayError } from '@ranger-relay/errors';
import type { ActionService } from '../actions/services.ts';

/** The service that runs an action, as it is called. */
export interface Place {
  readonly service: string;
  /** Without a last slash. */
  readonly url: string;
}

/** An address that paths are put behind. */
export const withoutSlash = (url: string): string => url.replace(/\/+$/, '');

const unknownAction = (services: readonly ActionService[], action: string): RelayError => {
  const all = services.flatMap(({ slug, catalogue }) => catalogue.actions.map(({ id }) => `${id} (${slug})`));
  return new RelayError('usage', {
    details: { problem: `There is no action ${action}; there are ${all.join(', ')}.` },
  });
};

/**
 * Where an action is run: at the address given, else at the only service that has it; only when several have it, `typeOf` is asked for the
 * integration's.
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
  return { service: service.name, url: withoutSlash(service.url) };
};
