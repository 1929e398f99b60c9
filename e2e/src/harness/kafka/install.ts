import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Folder of the installed broker's jars. */
const jarFolder = join(root, 'node_modules/.cache/ranger-relay/kafka-4.4.0');

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

const complete = join(jarFolder, '.complete');
const pom = fileURLToPath(new URL('pom.xml', import.meta.url));

/** Runs a command and shows what it says; a failure ends the preparation. */
export const must = (command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): void => {
  const { status, error } = spawnSync(command, args, { env, stdio: ['ignore', 2, 2] });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')} failed`, { cause: error });
};

/** Whether a command can be called. */
export const has = (command: string): boolean =>
  spawnSync('sh', ['-c', 'command -v "$0"', command], { stdio: 'ignore' }).status === 0;

/** Gets the broker's jars from the package registry of the machine's Maven, once. */
export const installBroker = (): void => {
  if (existsSync(complete)) return;
  mkdirSync(jarFolder, { recursive: true });
  const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${jarFolder}`];
  must('mvn', ['-B', '-ntp', '-q', '-f', pom, ...goal]);
  writeFileSync(complete, '');
};
