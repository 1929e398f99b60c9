declare const RANGER_RELAY_BUILD_TIME: string | undefined;

/** When this program was built, ms since 1970: what the bundler wrote in; of sources, and of a build without a date, 1970. */
export const buildTime = typeof RANGER_RELAY_BUILD_TIME === 'undefined' ? 0 : Date.parse(RANGER_RELAY_BUILD_TIME);
