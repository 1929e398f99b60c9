import { RelayError } from '@ranger-relay/errors';
import { closestTo } from '@ranger-relay/runtime';
import type { ActionService } from '../actions/services.ts';
import type { Overrides } from './override.ts';

/** Settings that an action has, as people fill them in. */
const membersOf = ({ catalogue }: ActionService, actionId: string): readonly string[] => {
  const action = catalogue.get(actionId);
  return action ? Object.keys((action.published ?? action.config).shape) : [];
};

/**
 * Refuses overrides that the action would not look at: a misspelt one would run it as if there were none.
 * @throws RelayError `usage` with what may have been meant
 */
export const checkMembers = (services: readonly ActionService[], action: string, overrides: Overrides): void => {
  const known = services.flatMap((service) => membersOf(service, action));
  const unknown = Object.keys(overrides).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = closestTo(unknown, known);
  const hint =
    meant !== undefined ? `did you mean ${meant}?` : `it has ${known.length > 0 ? known.join(', ') : 'no settings'}`;
  throw new RelayError('usage', { details: { problem: `${action} has no setting ${unknown}; ${hint}` } });
};
