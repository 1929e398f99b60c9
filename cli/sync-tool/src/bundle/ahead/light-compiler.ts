import { setFlagsFromString } from 'node:v8';

/** Since then the engine has a lighter compiler below its heaviest one. */
const firstWithLight = 22;

/**
 * Leaves out the engine's heaviest compiler from now on, in all threads: beside two threads that read it has no core of its own, and takes
 * more of theirs than its code gives back in the seconds that a run has.
 */
export const compileLightly = (): void => {
  if (Number(process.versions.node.split('.')[0]) >= firstWithLight) setFlagsFromString('--no-turbofan');
};
