declare const RANGER_RELAY_BUILD_TIME: string | undefined;

/** Build time of this program, ms since 1970, inserted by the bundler; 1970 for unbundled sources and builds without a date. */
export const buildTime = typeof RANGER_RELAY_BUILD_TIME === 'undefined' ? 0 : Date.parse(RANGER_RELAY_BUILD_TIME);
