/** @type {(() => void)[]} */
const noted = [];

/** Keeps a declaration until `declare`. @param {() => void} declaration */
export const note = (declaration) => void noted.push(declaration);

/** Hands all declarations to AVA, which takes them only at once: a test file may have waited at its top. @public entries of groups call it */
export const declare = () => noted.forEach((declaration) => declaration());

/** Tests that wait for the turn of their file. @type {Map<string, (() => void)[]>} */
const waiting = new Map();
/** @type {string | undefined} */
let current;
let running = 0;

const leave = () => {
  running -= 1;
  if (running > 0) return;
  const [next] = waiting;
  current = next?.[0];
  if (next === undefined) return;
  waiting.delete(next[0]);
  running = next[1].length;
  for (const start of next[1]) start();
};

/**
 * Waits until a test may run among those of its file; those of other files wait until all of these have ended, with their teardowns.
 * @param {string} file
 * @param {{ teardown: (run: () => void) => void }} t
 */
export const takeTurn = async (file, t) => {
  current ??= file;
  if (file === current) running += 1;
  else await new Promise((resolve) => waiting.set(file, [...(waiting.get(file) ?? []), () => resolve(undefined)]));
  // The first teardown runs last.
  t.teardown(leave);
};
