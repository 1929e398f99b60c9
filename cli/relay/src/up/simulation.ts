import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '@ranger-relay/runtime';
import {
  createFleet,
  createVendor,
  seeded,
  simulatorClock,
  simulatorRandom,
  startPlatform,
  type PlatformSimulator,
} from '@ranger-relay/simulators';
import type { DataDir } from '../data-dir/index.ts';
import type { SimulatedItem, SimulatedItems } from '../status/index.ts';

/** The outside world, simulated: a platform from the start, a vendor with a fleet once there is a webhook. */
export interface Simulation {
  readonly integrationId: string;
  /** What the vendor must send with each POST. */
  readonly token: string;
  readonly tokensFile: string;
  readonly platform: PlatformSimulator;
  readonly items: SimulatedItems;
  /** Sends a fleet's events to the webhook until the process stops. */
  startFleet(webhookUrl: string, devices: number): void;
}

const intervalMs = 8_000;
const tickMs = 1_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const writeTokens = async (path: string, integrationId: string, token: string): Promise<string> => {
  await writeFile(path, `${JSON.stringify({ [integrationId]: [`sha256:${sha256(token)}`] })}\n`, { mode: 0o600 });
  return path;
};

const recentItems =
  (platform: PlatformSimulator): SimulatedItems =>
  (limit) =>
    platform.door
      .recent(limit, { outcome: 'stored' })
      .filter(({ kind }) => kind === 'observation' || kind === 'message')
      .map(({ kind, integration, at, item }): SimulatedItem => ({
        kind: kind as SimulatedItem['kind'],
        integration_id: integration ?? '',
        at: new Date(at).toISOString(),
        item: item as SimulatedItem['item'],
      }));

/** A new process goes on with new devices' seeds, so that the simulated walks never repeat themselves. */
const fleetOf = (devices: number, now: number) =>
  createFleet({
    devices,
    random: seeded(now % 2 ** 31),
    start: now,
    intervalMs,
    sosCount: 1,
    habits: { texts: 0.15, checkIns: 0.05 },
  });

/** Starts the simulated platform; its items and the vendor's unsent events survive a kill in the data directory. */
export const startSimulation = async (dir: DataDir, { lifecycle, clock }: Context): Promise<Simulation> => {
  const integrationId = dir.instanceId;
  const token = await dir.readOrCreateSecret('webhook-token');
  const tokensFile = await writeTokens(join(dir.path, 'webhook-tokens.json'), integrationId, token);
  const platform = await startPlatform({
    host: '127.0.0.1',
    port: 0,
    clock: simulatorClock,
    random: simulatorRandom,
    stateFile: join(dir.path, 'simulated-platform.jsonl'),
    client: { id: 'ranger-relay', secret: await dir.readOrCreateSecret('platform-client-secret') },
    integrations: [{ id: integrationId }],
  });
  lifecycle.onStop('simulated platform', () => platform.close());

  return {
    integrationId,
    token,
    tokensFile,
    platform,
    items: recentItems(platform),
    startFleet(webhookUrl, devices) {
      const vendor = createVendor({
        targetUrl: `${webhookUrl}?integration_id=${integrationId}`,
        auth: { header: token },
        clock: simulatorClock,
        random: simulatorRandom,
        stateFile: join(dir.path, 'simulated-vendor.jsonl'),
      });
      const fleet = fleetOf(devices, clock.now());
      let timer = clock.after(0, tick);
      function tick(): void {
        const due = fleet.until(clock.now());
        if (due.length > 0) vendor.send(due.map(({ payload }) => payload));
        timer = clock.after(tickMs, tick);
      }
      lifecycle.onStop('simulated fleet', async () => {
        timer.cancel();
        await vendor.close();
      });
    },
  };
};
