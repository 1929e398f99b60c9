import { maskSecrets, type Action } from '@ranger-relay/actions';
import type { Overrides } from './override.ts';

/** Overrides in which the fields that the action's model marks as secret are masked. */
export const maskedOverrides = ({ config }: Pick<Action, 'config'>, overrides: Overrides | null): Overrides | null =>
  overrides === null ? null : (maskSecrets(config, overrides) as Overrides);
