import { run, tryRun } from './run.mjs';

/** What the C library loads by name when a host or a user is looked up. */
const loadedLater = ['libnss_dns.so.2', 'libnss_files.so.2', 'libresolv.so.2'];

/**
 * The files that `ldd` names.
 * @param {string} text
 * @returns {string[]} absolute paths
 * @throws naming a library that is not there
 */
export const librariesIn = (text) => {
  const missing = /^\s*(\S+) => not found/m.exec(text)?.[1];
  if (missing !== undefined) throw new Error(`this machine has no ${missing}, which Node needs; install it`);
  return [...text.matchAll(/^\s*(?:\S+ => )?(\/\S+) \(0x[\da-f]+\)$/gm)].flatMap(([, path]) => path ?? []);
};

/** The first file of each name in what `ldconfig -p` prints. @param {string} text @param {readonly string[]} names */
export const cachedLibraries = (text, names) =>
  names.flatMap((name) => {
    const line = text.split('\n').find((each) => each.trim().startsWith(`${name} `));
    return line?.split(' => ')[1] ?? [];
  });

/**
 * Every library of this machine that a program needs, sorted.
 * @param {string} program
 * @returns {Promise<string[]>} absolute paths, as the program looks for them
 */
export const librariesOf = async (program) => {
  const needed = librariesIn(await run('ldd', [program]));
  const later = cachedLibraries((await tryRun('ldconfig', ['-p'])) ?? '', loadedLater);
  return [...new Set([...needed, ...later])].sort();
};
