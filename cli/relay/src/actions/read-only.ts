import type { EncryptedSpace, KvSpace } from '@ranger-relay/kv';

/** A read-only space: writes do nothing and report success. */
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
