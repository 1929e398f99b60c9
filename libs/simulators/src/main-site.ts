import { readFileSync } from 'node:fs';
import type { Seed } from './site/seed.ts';
import { startSite } from './site/start.ts';
import { systemClock } from './time/clock.ts';
import { seeded, systemRandom } from './time/random.ts';

const { env } = process;

/** An option from the environment, when it is set. */
const given = <Name extends string>(option: Name, name: string) =>
  (env[name] === undefined ? {} : { [option]: env[name] }) as { [Key in Name]?: string };

/** Content of a new site, as JSON in a file. */
const stateIn = (file: string): Seed => JSON.parse(readFileSync(file, 'utf8')) as Seed;

const site = await startSite({
  host: env['SIM_HOST'] ?? '127.0.0.1',
  port: Number(env['SIM_PORT'] ?? '0'),
  clock: systemClock,
  random: env['SIM_SEED'] === undefined ? systemRandom : seeded(Number(env['SIM_SEED'])),
  ...given('stateFile', 'SIM_STATE_FILE'),
  ...given('token', 'SIM_TOKEN'),
  ...given('ordinaryToken', 'SIM_ORDINARY_TOKEN'),
  ...given('clientId', 'SIM_CLIENT_ID'),
  ...(env['SIM_DATA_FILE'] === undefined ? {} : { state: stateIn(env['SIM_DATA_FILE']) }),
  ...(env['SIM_LATENCY_MS'] === undefined ? {} : { latencyMs: Number(env['SIM_LATENCY_MS']) }),
});

const stop = (): void => void site.close().then(() => process.exit(0));
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);

const { port, url, token, ordinaryToken, username, password, clientId } = site;
const printed = { pid: process.pid, port, url, token, ordinaryToken, username, password, clientId };
process.stdout.write(`${JSON.stringify(printed)}\n`);
