export { openDataDir, type DataDir } from './open.ts';
export { storePaths, type StorePaths } from './paths.ts';
export { openEmbeddedStores, type EmbeddedStores } from './stores.ts';
