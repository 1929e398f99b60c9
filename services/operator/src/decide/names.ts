import { createHash } from 'node:crypto';
import type { Command } from '../api/run-status.ts';

/** Short, deterministic hash of the parts; the parts are delimited, so that ("ab", "c") and ("a", "bc") differ. */
export const shortHash = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);

/** Maximum length of a Job name: pods append a suffix, and the whole name must be a valid label. */
const maxLength = 30;

/** Name of a Job: a readable prefix and a hash that makes it unique. */
export const jobName = (object: string, command: Command, ...identity: readonly (string | number)[]): string => {
  const front = object.slice(0, maxLength).replaceAll('.', '-').replace(/-+$/, '');
  return `${front}-${command}-${shortHash(command, ...identity)}`;
};

/** Folder of an object on the output volume. A new object with the same name gets a different folder. */
export const objectFolder = (name: string, uid: string): string => `${name}-${shortHash(uid).slice(0, 8)}`;

/** Folder of a plan and of the run that carries it out. */
export const planFolder = (name: string, uid: string, number: number): string => `${objectFolder(name, uid)}/${number}`;
