export type { Rebuilt } from './embedded/damaged.ts';
export { openEmbeddedKv, type EmbeddedKvOptions } from './embedded/open.ts';
export { derivedKey } from './encryption/cipher.ts';
export { encryptedSpace, type EncryptedSpace } from './encryption/encrypted-space.ts';
export type { StoreServer, KeyValue, KvSpace, KvSpaceName, SetOptions } from './port.ts';
export { storeKey } from './store-key.ts';
