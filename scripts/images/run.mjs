import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const call = promisify(execFile);

/**
 * Runs a program of the machine with nothing of the caller's environment but its PATH, in plain English.
 * @param {string} command @param {readonly string[]} args
 * @returns {Promise<string>} what it printed
 */
export const run = async (command, args) => {
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, LC_ALL: 'C' };
  return (await call(command, [...args], { env, maxBuffer: 1 << 24 })).stdout;
};

/** The same, undefined when the machine lacks the program or it fails. @type {(...args: Parameters<typeof run>) => Promise<string | undefined>} */
export const tryRun = (command, args) => run(command, args).catch(() => undefined);
