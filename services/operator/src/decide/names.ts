import { createHash } from 'node:crypto';
import type { Command } from '../api/run-status.ts';

/** Short and the same for the same parts; parts cannot run into each other. */
export const shortHash = (...parts: readonly (string | number)[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 12);

/** Pods get a name that ends in more letters, and all of it has to be a label. */
const maxLength = 30;

/** The name of a Job: readable in front, and behind that what tells it from every other one. */
export const jobName = (object: string, command: Command, ...identity: readonly (string | number)[]): string => {
  const front = object.slice(0, maxLength).replaceAll('.', '-').replace(/-+$/, '');
  return `${front}-${command}-${shortHash(command, ...identity)}`;
};

/** Folder of an object on the output volume: another object of the same name has another one. */
export const objectFolder = (name: string, uid: string): string => `${name}-${shortHash(uid).slice(0, 8)}`;

/** Folder of a plan and of the run that carries it out. */
export const planFolder = (name: string, uid: string, number: number): string => `${objectFolder(name, uid)}/${number}`;
