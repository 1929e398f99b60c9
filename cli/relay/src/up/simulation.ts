import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runnerType } from '@ranger-relay/action-runner';
import { type Catalogue, discoverActions } from '@ranger-relay/actions';
import { type ConfigEvent, configEventSchema } from '@ranger-relay/contracts';
import { handlers } from '@ranger-relay/message-pusher';
import type { Context } from '@ranger-relay/runtime';
import {
  freshSite,
  type Seed,
  simulatorClock,
  configEvents,
  type PlatformSimulator,
  simulatorRandom,
  startPlatform,
} from '@ranger-relay/simulators';
import { actionsTokenName } from '../actions/options.ts';
import { type DataDir, platformSecretName, simulatedPlatformFile, webhookTokenName } from '../data-dir/index.ts';
import type { SimulatedItem, SimulatedItems } from '../status/index.ts';
import type { UpConfig } from './config.ts';
import { type SimulatedVendor, startSimulatedVendor } from './simulated-vendor.ts';

const everyMs = 30_000;
const roundMs = 30 * 86_400_000;

const vehicles = [
  { source: '5e0c0000-0000-4000-8000-000000000001', tracker: 'collar-17', name: 'Patrol car 17' },
  { source: '5e0c0000-0000-4000-8000-000000000002', tracker: 'collar-23', name: 'Patrol boat 23' },
] as const;

const subjectOf = (source: string): string => source.replace('5e0c', '5b0c');

/**
 * A fix every half a minute, in turn of each vehicle. Numbers of fixes count from the start of a month of thirty days: another start of the
 * process tells of the same fixes under the same ids.
 */
const movements = (now: number): Pick<Seed, 'sources' | 'subjects' | 'subjectSources' | 'volume'> => {
  const start = Math.floor(now / roundMs) * roundMs;
  const [begin, end] = [start, start + 2 * roundMs].map((ms) => new Date(ms).toISOString());
  return {
    sources: vehicles.map(({ source, tracker }) => ({ id: source, manufacturer_id: tracker })),
    subjects: vehicles.map(({ source, name }) => ({ id: subjectOf(source), name, subject_type: 'vehicle' })),
    subjectSources: vehicles.map(({ source }) => ({
      source,
      subject: subjectOf(source),
      assigned_range: { lower: '2020-01-01T00:00:00Z', upper: null },
    })),
    // Some come through a valley first.
    volume: { count: (2 * roundMs) / everyMs, start: String(begin), end: String(end), late: { every: 7, by_s: 300 } },
  };
};

/** Starts the simulated site, whose vehicles move on for scheduled pulls; it ends with the context. */
const startSimulatedSite = async (dir: DataDir, { lifecycle, clock }: Context) => {
  const token = await dir.readOrCreateSecret('site-token');
  const user = {
    username: 'ranger',
    password: await dir.readOrCreateSecret('site-password'),
    token,
    first_name: 'Asha',
    last_name: 'Mwangi',
    permissions: ['activity.view_event', 'observations.view_observation', 'observations.view_subject'],
  };
  const state = { ...movements(clock.now()), tokens: [user] };
  const site = await freshSite({ clock: simulatorClock, state, logLimit: 100 });
  lifecycle.onStop('simulated site', () => site.close());
  return { url: site.url, token };
};

/** Settings of an integration by action, as the platform keeps them. */
type Configurations = Readonly<Record<string, unknown>>;

/**
 * Settings of every action that a service has, so that one that was just added runs in the trial too: those that are there already, else those
 * of the trial, else none but where to start from.
 * @param start ISO, for actions that ask for `start_datetime`
 */
export const trialConfigurations = (
  { actions }: Pick<Catalogue, 'actions'>,
  present: Configurations,
  ofTrial: Configurations,
  start: string,
): Configurations => {
  const found = actions
    .filter(({ internal }) => !internal)
    .map(({ id, config }) => [id, 'start_datetime' in config.shape ? { start_datetime: start } : {}] as const);
  return { ...Object.fromEntries(found), ...ofTrial, ...present };
};

/** The outside world, simulated: platform, vendor and site. */
export interface Simulation {
  /** Integration of the devices. */
  readonly integrationId: string;
  /** Integration of the site. */
  readonly siteId: string;
  readonly siteUrl: string;
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
    platform.ingestLog
      .recent(limit, { outcome: 'stored' })
      .filter(({ kind }) => kind === 'observation' || kind === 'message')
      .map(({ kind, integration, at, item }): SimulatedItem => ({
        kind: kind as SimulatedItem['kind'],
        integration_id: integration ?? '',
        at: new Date(at).toISOString(),
        item: item as SimulatedItem['item'],
      }));

interface Simulators {
  readonly platform: PlatformSimulator;
  readonly vendor: SimulatedVendor;
  readonly site: Awaited<ReturnType<typeof startSimulatedSite>>;
}

/** Tells the platform of both integrations; what a person has changed there stays, where the simulators listen does not. */
const putIntegrations = (
  { platform, vendor, site }: Simulators,
  { integrationId, siteId }: Pick<Simulation, 'integrationId' | 'siteId'>,
  config: Pick<UpConfig, 'PUSHER_TYPE_SLUG' | 'RUNNER_TYPE_SLUG'>,
  now: number,
): readonly ConfigEvent[] => {
  const { integrations } = platform;
  const siteAuth = { authentication_type: 'token', token: site.token };
  const start = new Date(now - pulledMs).toISOString();
  const pull = { start_datetime: start };
  const before = {
    devices: integrations.get(integrationId)?.configurations ?? {},
    site: integrations.get(siteId)?.configurations ?? {},
  };
  const configurations = {
    devices: {
      ...trialConfigurations(discoverActions(handlers), before.devices, { push_messages: {} }, start),
      auth: vendor.account,
    },
    site: {
      ...trialConfigurations(
        runnerType({ ACTION_SCHEDULES: undefined }).catalogue,
        before.site,
        {
          pull_observations: { ...pull, run_on_schedule: true },
          pull_events: { ...pull, run_on_schedule: false },
        },
        start,
      ),
      auth: siteAuth,
    },
  };
  integrations.put({
    id: integrationId,
    type: config.PUSHER_TYPE_SLUG,
    configurations: configurations.devices,
  });
  integrations.put({
    id: siteId,
    name: 'Simulated site',
    type: config.RUNNER_TYPE_SLUG,
    base_url: site.url,
    configurations: configurations.site,
  });
  const make = configEvents(simulatorClock, simulatorRandom);
  // The cache may still hold the previous addresses of the simulators, and an action without settings.
  const changed = (id: string, now: object, earlier: object) =>
    Object.entries(now)
      .filter(([action]) => action === 'auth' || !(action in earlier))
      .map(([action, data]) => make.actionConfigUpdated(simulatorRandom.uuid(), id, action, data));
  return [
    make.integrationUpdated(siteId, { base_url: site.url }),
    ...changed(integrationId, configurations.devices, before.devices),
    ...changed(siteId, configurations.site, before.site),
  ].map((event) => configEventSchema.parse(event));
};

/** Starts the simulators; accepted items of the platform and unsent events of the vendor survive a kill in the data directory. */
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
    client: { id: 'ranger-relay', secret: await dir.readOrCreateSecret(platformSecretName) },
  });
  lifecycle.onStop('simulated platform', () => platform.close());
  const vendor = await startSimulatedVendor(dir, context, config.SIMULATED_DEVICES);
  const site = await startSimulatedSite(dir, context);

  return {
    ...ids,
    siteUrl: site.url,
    token,
    tokensFile: await writeTokens(join(dir.path, 'webhook-tokens.json'), ids.integrationId, token),
    actionsToken: await dir.readOrCreateSecret(actionsTokenName),
    platform,
    items: recentItems(platform),
    changes: putIntegrations({ platform, vendor, site }, ids, config, clock.now()),
    startFleet: (webhookUrl) => vendor.startFleet(`${webhookUrl}?integration_id=${ids.integrationId}`, token),
  };
};
