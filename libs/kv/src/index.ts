export { openEmbeddedKv } from './embedded/open.ts';
export { derivedKey } from './encryption/cipher.ts';
export { encryptedSpace, type EncryptedSpace } from './encryption/encrypted-space.ts';
export type { StoreServer, KeyValue, KvSpace } from './port.ts';
export { epochKey, epochOf, epochTime, keepEpoch } from './epoch.ts';
export { oncePerHour } from './once-per-hour.ts';
export { storeKey, unlessUnavailable } from './port.ts';
