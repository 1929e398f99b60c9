import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { configEventSchema, type ConfigEvent } from '@ranger-relay/contracts';
import type { Context } from '@ranger-relay/runtime';
import {
  configEvents,
  simulatorClock,
  simulatorRandom,
  startPlatform,
  type PlatformSimulator,
} from '@ranger-relay/simulators';
import { actionsTokenName } from '../actions/token.ts';
import { simulatedPlatformFile, webhookTokenName, type DataDir } from '../data-dir/index.ts';
import type { SimulatedItem, SimulatedItems } from '../status/index.ts';
import type { UpConfig } from './config.ts';
import { startSimulatedSite, type SimulatedSite } from './simulated-site.ts';
import { startSimulatedVendor, type SimulatedVendor } from './simulated-vendor.ts';

/** The outside world, simulated: platform, vendor and site. */
export interface Simulation {
  /** Integration of the devices. */
  readonly integrationId: string;
  /** Integration of the site. */
  readonly siteId: string;
  /** What the vendor must send with each POST. */
  readonly token: string;
  readonly tokensFile: string;
  /** What callers of actions must send. */
  readonly actionsToken: string;
  readonly platform: PlatformSimulator;
  readonly items: SimulatedItems;
  /** What changed on the platform with this start: simulators listen elsewhere each time. */
  readonly changes: readonly ConfigEvent[];
  /** Sends a fleet's events to the webhook until the process stops. */
  startFleet(webhookUrl: string): void;
}

/** How far back the first pull of the simulated site goes. */
const pulledMs = 5 * 60_000;

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Integrations of devices and site; they follow from the directory's own id, and the site sorts behind. */
export const simulatedIds = ({
  instanceId,
}: Pick<DataDir, 'instanceId'>): Pick<Simulation, 'integrationId' | 'siteId'> => ({
  integrationId: instanceId,
  siteId: `ffffffff${instanceId.slice(8)}`,
});

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

interface World {
  readonly platform: PlatformSimulator;
  readonly vendor: SimulatedVendor;
  readonly site: SimulatedSite;
}

/** Tells the platform of both integrations; what a person has changed there stays, where the simulators listen does not. */
const putIntegrations = (
  { platform, vendor, site }: World,
  { integrationId, siteId }: Pick<Simulation, 'integrationId' | 'siteId'>,
  config: Pick<UpConfig, 'PUSHER_TYPE_SLUG' | 'RUNNER_TYPE_SLUG'>,
  now: number,
): readonly ConfigEvent[] => {
  const { integrations, types } = platform;
  const start = { start_datetime: new Date(now - pulledMs).toISOString() };
  const siteAuth = { authentication_type: 'token', token: site.token };
  integrations.put({
    id: integrationId,
    type: config.PUSHER_TYPE_SLUG,
    configurations: { push_messages: {}, ...integrations.get(integrationId)?.configurations, auth: vendor.account },
  });
  integrations.put({
    id: siteId,
    name: 'Simulated site',
    type: config.RUNNER_TYPE_SLUG,
    base_url: site.url,
    configurations: {
      pull_observations: { ...start, run_on_schedule: true },
      pull_events: { ...start, run_on_schedule: false },
      show_permissions: {},
      ...integrations.get(siteId)?.configurations,
      auth: siteAuth,
    },
  });
  const make = configEvents(simulatorClock, simulatorRandom, types);
  return [
    make.actionConfigUpdated(simulatorRandom.uuid(), integrationId, 'auth', vendor.account),
    make.integrationUpdated(siteId, { base_url: site.url }),
    make.actionConfigUpdated(simulatorRandom.uuid(), siteId, 'auth', siteAuth),
  ].map((event) => configEventSchema.parse(event));
};

/** Starts the simulated world; what its platform took and its vendor's unsent events survive a kill in the data directory. */
export const startSimulation = async (dir: DataDir, context: Context, config: UpConfig): Promise<Simulation> => {
  const { lifecycle, clock } = context;
  const ids = simulatedIds(dir);
  const token = await dir.readOrCreateSecret(webhookTokenName);
  const platform = await startPlatform({
    host: '127.0.0.1',
    port: 0,
    clock: simulatorClock,
    random: simulatorRandom,
    stateFile: join(dir.path, simulatedPlatformFile),
    client: { id: 'ranger-relay', secret: await dir.readOrCreateSecret('platform-client-secret') },
  });
  lifecycle.onStop('simulated platform', () => platform.close());
  const vendor = await startSimulatedVendor(dir, context, config.SIMULATED_DEVICES);
  const site = await startSimulatedSite(dir, context);

  return {
    ...ids,
    token,
    tokensFile: await writeTokens(join(dir.path, 'webhook-tokens.json'), ids.integrationId, token),
    actionsToken: await dir.readOrCreateSecret(actionsTokenName),
    platform,
    items: recentItems(platform),
    changes: putIntegrations({ platform, vendor, site }, ids, config, clock.now()),
    startFleet: (webhookUrl) => vendor.startFleet(`${webhookUrl}?integration_id=${ids.integrationId}`, token),
  };
};
