import { dirname } from 'node:path';
import { RelayError } from '@ranger-relay/errors';
import type { Failure } from './protocol.ts';

/** What a person can do when the opener names nothing better. */
const defaultRemedy = 'restore it from a backup';

/** A failure of the worker as a registered error. */
export const errorOf = ({ kind, problem }: Failure, path: string, remedy = defaultRemedy): RelayError => {
  const cause = new Error(problem);
  switch (kind) {
    case 'full':
      return new RelayError('store_full', { details: { path }, cause });
    case 'damaged':
      return new RelayError('store_damaged', { details: { path, problem, remedy }, cause });
    case 'missing':
    case 'unusable':
      return new RelayError('data_dir_unusable', {
        details: { path: dirname(path), problem: `${path}: ${problem}` },
        cause,
      });
    case 'other':
      return new RelayError('internal', { details: { path }, cause });
  }
};
