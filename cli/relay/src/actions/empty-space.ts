import type { EncryptedSpace } from '@ranger-relay/kv';
import { readOnly } from './read-only.ts';

/** A space that never holds anything, for looks past every cache. */
export const emptySpace: EncryptedSpace = readOnly({
  get: async () => null,
  list: async () => [],
});
