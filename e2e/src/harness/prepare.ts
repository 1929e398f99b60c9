import { existsSync, renameSync, rmSync } from 'node:fs';
import { startKafka } from './kafka/index.ts';
import { classes, has, installBroker, keepingClasses, must } from './kafka/install.ts';

/** Starts a broker once and keeps the classes that it came to use; without them scenarios only take longer. */
const keepClasses = async (): Promise<void> => {
  if (existsSync(classes)) return;
  const partial = `${classes}.${process.pid}`;
  try {
    const kafka = await startKafka({ java: [keepingClasses(partial)] });
    const stops = await Promise.all(kafka.brokers.map((broker) => broker.stop()));
    await kafka.remove();
    if (stops.every((stop) => stop === 'by itself')) renameSync(partial, classes);
  } catch (error) {
    process.stderr.write(`The broker's classes are not kept: ${String(error)}\n`);
  }
  rmSync(partial, { force: true });
};

// Gets what the scenarios run against and the machine lacks: a Java runtime, a broker's jars, redis-server.

const packages: readonly (readonly [command: string, name: string])[] = [
  ['java', 'default-jre-headless'],
  ['mvn', 'maven'],
  ['openssl', 'openssl'],
  ['redis-server', 'redis-server'],
];

const missing = packages.filter(([command]) => !has(command)).map(([, name]) => name);
if (missing.length > 0) {
  // Another installation may be under way, of what the scenarios on Kubernetes need.
  const install = ['install', '-o', 'DPkg::Lock::Timeout=300', '-y', '-q', '--no-install-recommends', ...missing];
  if (process.getuid?.() !== 0 || !has('apt-get'))
    throw new Error(
      `The scenarios need ${missing.join(', ')}; install them, on Debian with: apt-get ${install.join(' ')}`,
    );
  // A package's own service must not start: the scenarios run servers of their own.
  const quiet = { ...process.env, RUNLEVEL: '1', DEBIAN_FRONTEND: 'noninteractive' };
  must('apt-get', ['update', '-q'], quiet);
  must('apt-get', install, quiet);
}
installBroker();
await keepClasses();
