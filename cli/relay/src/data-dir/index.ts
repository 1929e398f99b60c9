export { openDataDir, type DataDir } from './open.ts';
export { openStores, type Stores } from './stores.ts';
export { readInstanceId } from './marker.ts';
export { readSecret, webhookTokenName } from './secrets.ts';
