import type { EncryptedSpace, KvSpace } from '@ranger-relay/kv';

/** A space that can be looked into: what would write does nothing and says that it did. */
export const readOnly = ({ get, list }: Pick<KvSpace, 'get' | 'list'>): EncryptedSpace => ({
  get,
  list,
  keys: async (prefix) => (await list(prefix)).map(({ key }) => key),
  set: async () => undefined,
  setIfAbsent: async () => true,
  compareAndSet: async () => true,
  compareAndDelete: async () => true,
  delete: async () => true,
});
