export { openDataDir, type DataDir } from './open.ts';
export { openEmbeddedStores, type EmbeddedStores } from './stores.ts';
