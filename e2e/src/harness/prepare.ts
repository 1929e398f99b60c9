// Gets what the scenarios run against and the machine lacks: a Java runtime, a broker's jars, redis-server.
import { has, installBroker, must } from './kafka/install.ts';
import { keepClasses } from './kafka/keep-classes.ts';

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
