import { readFileSync } from 'node:fs';
import type { SiteData } from './site-data/records.ts';
import { startSiteData } from './site-data/start.ts';
import { systemClock } from './time/clock.ts';
import { seeded, systemRandom } from './time/random.ts';

const { env } = process;

/** What the site holds, as JSON in a file. */
const dataIn = (file: string): Partial<SiteData> => JSON.parse(readFileSync(file, 'utf8')) as Partial<SiteData>;

const site = await startSiteData({
  host: env['SIM_HOST'] ?? '127.0.0.1',
  port: Number(env['SIM_PORT'] ?? '0'),
  clock: systemClock,
  random: env['SIM_SEED'] === undefined ? systemRandom : seeded(Number(env['SIM_SEED'])),
  ...(env['SIM_DATA_FILE'] === undefined ? {} : { data: dataIn(env['SIM_DATA_FILE']) }),
  ...(env['SIM_CLIENT_ID'] === undefined ? {} : { clientId: env['SIM_CLIENT_ID'] }),
  ...(env['SIM_LATENCY_MS'] === undefined ? {} : { switches: { latency_ms: Number(env['SIM_LATENCY_MS']) } }),
});

/** With the server and the channel to its parent closed nothing keeps the process. */
const stop = (): void => void site.close().then(() => (process.connected ? process.disconnect() : undefined));
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);

const { port, url, token, username, password, clientId } = site;
process.stdout.write(`${JSON.stringify({ pid: process.pid, port, url, token, username, password, clientId })}\n`);
