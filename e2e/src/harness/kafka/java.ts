import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { jarFolder } from './install.ts';

/** Every broker needs little memory and is short-lived: compiling its code well does not pay. */
const flags = ['-Xms128m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];

/** The broker's classes as they lie in memory: with them a start is half the work. A runtime that they do not fit leaves them. */
export const classes = join(jarFolder, 'classes.jsa');

/** The flag that has a program keep the classes it used, in a file, at its end. */
export const keepingClasses = (file: string): string => `-XX:ArchiveClassesAtExit=${file}`;

/** The command line of one of the broker's programs: how much it logs, more flags of the runtime, main class and arguments. */
export const java = (level: string, more: readonly string[], main: string, ...args: readonly string[]): string[] => [
  ...flags,
  ...(existsSync(classes) ? [`-XX:SharedArchiveFile=${classes}`] : []),
  '-Xlog:cds=off',
  '-Xlog:cds+dynamic=off',
  ...more,
  `-Dorg.slf4j.simpleLogger.defaultLogLevel=${level}`,
  '-cp',
  `${jarFolder}/*`,
  main,
  ...args,
];
