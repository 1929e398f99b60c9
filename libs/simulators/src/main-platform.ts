import { startPlatform } from './platform/start.ts';
import { systemClock } from './time/clock.ts';
import { systemRandom } from './time/random.ts';

const { env } = process;

const platform = await startPlatform({
  host: env['SIM_HOST'] ?? '127.0.0.1',
  port: Number(env['SIM_PORT'] ?? '0'),
  clock: systemClock,
  random: systemRandom,
  ...(env['SIM_STATE_FILE'] === undefined ? {} : { stateFile: env['SIM_STATE_FILE'] }),
  integrations: (env['SIM_INTEGRATIONS'] ?? '')
    .split(',')
    .filter((id) => id !== '')
    .map((id) => ({ id })),
});

const stop = (): void => void platform.close().then(() => process.exit(0));
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);

const { port, url, apiBaseUrl, sensorsBaseUrl, tokenUrl, client } = platform;
process.stdout.write(
  `${JSON.stringify({ pid: process.pid, port, url, apiBaseUrl, sensorsBaseUrl, tokenUrl, clientId: client.id, clientSecret: client.secret })}\n`,
);
