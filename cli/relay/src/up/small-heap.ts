import { setFlagsFromString } from 'node:v8';

/**
 * Makes the collector run earlier: by default the heap may grow several times over on a machine with much memory, while one park's small
 * machine has little. Costs some CPU under full load; measured by the bench.
 */
export const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=15');
