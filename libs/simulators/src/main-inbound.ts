import { startVendorInbound } from './inbound/start.ts';
import { systemClock } from './time/clock.ts';

const { env } = process;

const inbound = await startVendorInbound({
  host: env['SIM_HOST'] ?? '127.0.0.1',
  port: Number(env['SIM_PORT'] ?? '0'),
  clock: systemClock,
  username: env['SIM_USERNAME'] ?? 'ops',
  password: env['SIM_PASSWORD'] ?? 'ops-password',
  devices: (env['SIM_DEVICES'] ?? '300434030000000').split(','),
});

const stop = (): void => void inbound.close().then(() => process.exit(0));
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);

process.stdout.write(`${JSON.stringify({ pid: process.pid, port: inbound.port, url: inbound.url })}\n`);
