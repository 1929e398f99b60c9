/** How a long-running process is started, as the launcher of the command line does; a test holds them equal. */
export const processFlags = ['--max-semi-space-size=6', '--optimize-for-size'];

/** @type {Readonly<Record<string, string>>} */
export const processEnv = { MALLOC_ARENA_MAX: '1' };
