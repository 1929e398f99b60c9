import { join } from 'node:path';
import { type Context, repeatAtRate } from '@ranger-relay/runtime';
import {
  createFleet,
  createVendor,
  seeded,
  simulatorClock,
  simulatorRandom,
  startVendorInbound,
  type DeviceEvent,
  type Vendor,
} from '@ranger-relay/simulators';
import type { DataDir } from '../data-dir/index.ts';
import { trialDevice } from '../simulate/trial-device.ts';

const intervalMs = 8_000;
const tickMs = 1_000;
const username = 'ranger-relay';

/** The simulated vendor: accepts texts to devices from the start, and sends events of the fleet once there is a webhook. */
export interface SimulatedVendor {
  /** Settings with which texts are sent: the configuration of the action `auth`. */
  readonly account: { readonly api_url: string; readonly username: string; readonly password: string };
  /** Sends a fleet's events to the webhook until the process stops. */
  startFleet(webhookUrl: string, token: string): void;
}

/** A new process uses new seeds, so that the simulated walks never repeat. */
const fleetOf = (devices: number, now: number) =>
  createFleet({
    devices,
    random: seeded(now % 2 ** 31),
    start: now,
    intervalMs,
    sosCount: 1,
    habits: { texts: 0.15, checkIns: 0.05 },
  });

/** Starts the vendor's service for texts; the vendor's unsent events survive a kill in the data directory. */
export const startSimulatedVendor = async (
  dir: DataDir,
  { lifecycle, clock }: Context,
  devices: number,
): Promise<SimulatedVendor> => {
  const fleet = fleetOf(devices, clock.now());
  let vendor: Vendor | undefined;
  const password = await dir.readOrCreateSecret('vendor-password');
  const inbound = await startVendorInbound({
    host: '127.0.0.1',
    port: 0,
    clock: simulatorClock,
    username,
    password,
    devices: [trialDevice, ...fleet.imeis],
    onPingback: (event: DeviceEvent) => vendor?.send([event]),
  });
  lifecycle.onStop('simulated texts', () => inbound.close());

  return {
    account: { api_url: inbound.url, username, password },
    startFleet(targetUrl, token) {
      const sending = createVendor({
        targetUrl,
        auth: { header: token },
        clock: simulatorClock,
        random: simulatorRandom,
        stateFile: join(dir.path, 'simulated-vendor.jsonl'),
      });
      vendor = sending;
      const stop = repeatAtRate({ clock, everyMs: tickMs, firstMs: 0 }, () => {
        const due = fleet.until(clock.now());
        if (due.length > 0) sending.send(due.map(({ payload }) => payload));
      });
      lifecycle.onStop('simulated fleet', async () => {
        await stop();
        await sending.close();
      });
    },
  };
};
