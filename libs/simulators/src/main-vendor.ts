import { createFleet } from './fleet/fleet.ts';
import { fastClock, systemClock } from './time/clock.ts';
import { seeded } from './time/random.ts';
import { createVendor } from './vendor/vendor.ts';

const { env } = process;
const numberOf = (name: string, otherwise: number): number => Number(env[name] ?? otherwise);

const devices = numberOf('SIM_DEVICES', 10);
const intervalMs = numberOf('SIM_INTERVAL_MS', 60_000);
const random = seeded(numberOf('SIM_SEED', 1));
const stateFile = env['SIM_STATE_FILE'];
const vendor = createVendor({
  targetUrl: env['SIM_TARGET_URL'] ?? 'http://127.0.0.1:8081/webhooks',
  auth: env['SIM_TOKEN'] === undefined ? 'none' : { header: env['SIM_TOKEN'] },
  headers: env['SIM_INTEGRATION'] === undefined ? {} : { 'x-integration-id': env['SIM_INTEGRATION'] },
  clock: fastClock(systemClock, numberOf('SIM_SPEED', 1)),
  random,
  ...(stateFile === undefined ? {} : { stateFile }),
});
const fleet = createFleet({ devices, intervalMs, random, start: Date.now(), sosCount: numberOf('SIM_SOS', 1) });

const tick = setInterval(
  () => vendor.send(fleet.until(Date.now()).map(({ payload }) => payload)),
  Math.max(50, Math.min(1_000, intervalMs / devices)),
);

const stop = (): void => {
  clearInterval(tick);
  void vendor.close().then(() => process.exit(0));
};
process.once('SIGTERM', stop);
process.once('SIGINT', stop);
process.once('disconnect', stop);

process.stdout.write(`${JSON.stringify({ pid: process.pid, imeis: fleet.imeis })}\n`);
