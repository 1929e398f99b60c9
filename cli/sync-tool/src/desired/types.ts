import type { Transport } from '../bundle/model.ts';
import { patrolTypeValue } from '../bundle/values.ts';
import { labelLimits, type Label } from './labels.ts';

/** A patrol type that the site is to have. */
export interface DesiredType {
  readonly value: string;
  readonly display: string;
  readonly isActive: boolean;
  /** What helps to choose an icon. */
  readonly transport: Pick<Transport, 'iconKey' | 'classKey' | 'requiresPilot'>;
}

/** One patrol type per transport; a transport without a key has none. */
export const desiredTypes = (transports: readonly Transport[], label: Label): DesiredType[] =>
  transports.flatMap(({ key, names, isActive, ...transport }) =>
    key ? [{ value: patrolTypeValue(key), display: label(names, key, labelLimits.type), isActive, transport }] : [],
  );
