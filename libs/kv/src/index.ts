export { openEmbeddedKv } from './embedded/open.ts';
export { derivedKey } from './encryption/cipher.ts';
export { encryptedSpace, type EncryptedSpace } from './encryption/encrypted-space.ts';
export { oncePerHour, storeKey, unlessUnavailable, type StoreServer, type KeyValue, type KvSpace } from './port.ts';
export { epochKey, epochOf, epochTime, keepEpoch } from './epoch.ts';
