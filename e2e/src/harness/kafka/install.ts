import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../../../', import.meta.url));

/** Where the broker's jars lie once they are installed. */
export const jarFolder = join(root, 'node_modules/.cache/ranger-relay/kafka-4.4.0');

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
