export { isLocked, killedOn, lockPath, runningOn, runningUp, type RunningUp } from './lock.ts';
export { openDataDir, type DataDir } from './open.ts';
export { identityOf } from './files.ts';
export { lossOf } from './open-bus.ts';
export { openStores, type Stores } from './stores.ts';
export { readMarker, type Addresses, type PlatformKind } from './marker.ts';
export {
  checkStoredEvents,
  claimDirectory,
  refuseOtherKind,
  simulatedPlatformFile,
  type StoredEvents,
} from './platform-kind.ts';
export { platformSecretName, readSecret, webhookTokenName } from './secrets.ts';
