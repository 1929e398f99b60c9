import { runnerPulls } from '@ranger-relay/action-runner';
import {
  type InboundSimulator,
  type PlatformSimulator,
  type SimulatedResponse,
  type SiteSimulator,
  startPlatform,
  startSite,
  startVendorInbound,
} from '@ranger-relay/simulators';
import { createWorldBus, type WorldBus } from './bus.ts';
import { secretsIn } from './checks.ts';
import { createWays, type Fault, type Ways } from './faults.ts';
import { createNetwork } from './network.ts';
import { parkId, type Population, type Size, startPopulation } from './population.ts';
import { watchLeases } from './runs.ts';
import { serviceTopics, type Replica, type ServiceName, serviceNames, startReplica } from './services.ts';
import { siteIntegration, siteSources } from './site-data.ts';
import { createSimulation, type Observers, type Simulation } from './simulation.ts';
import { createWorldStore, type WorldStore } from './store.ts';
import { createTroubles, type Troubles } from './troubles.ts';
import { createTruth, type Truth, type Violation } from './truth.ts';

const hourMs = 3_600_000;

/** A world, as plain data. */
export interface WorldOptions extends Size {
  readonly seed: number;
  /** How long devices send and faults happen, ms. */
  readonly ms: number;
  readonly replicas: Readonly<Record<ServiceName, number>>;
  /** Setting of the pusher: what becomes of a text after a call without a known end. */
  readonly ambiguous: 'resend' | 'hold';
  readonly faults: readonly Fault[];
}

const env = {
  PLATFORM_API_BASE_URL: 'http://platform.world',
  PLATFORM_SENSORS_BASE_URL: 'http://platform.world',
  PLATFORM_TOKEN_URL: 'http://platform.world/auth/token',
  PLATFORM_CLIENT_ID: 'relay',
  PLATFORM_CLIENT_SECRET: 'relay-secret',
  KAFKA_BROKERS: 'bus.world:9092',
  WEBHOOK_AUTH: 'none',
  AUTH_MODE: 'none',
  REGISTER_ON_START: 'true',
  HTTP_ALLOWED_NETWORKS: '10.0.0.0/8',
};

/** A world with everybody in it. */
export interface World {
  readonly simulation: Simulation;
  readonly ways: Ways;
  readonly bus: WorldBus;
  readonly store: WorldStore;
  readonly platform: PlatformSimulator;
  readonly site: SiteSimulator;
  readonly inbound: InboundSimulator;
  readonly replicas: readonly Replica[];
  readonly population: Population;
  readonly truth: Truth;
  readonly troubles: Troubles;
  /** Secrets that log lines showed. */
  readonly shown: readonly Violation[];
}

/** The integration of the site; changed settings restart its listings. */
export const siteSettings = (startMs: number, subwindow_days: number) => {
  const pull = { start_datetime: new Date(startMs - 4 * 24 * hourMs).toISOString(), run_on_schedule: true };
  return {
    id: siteIntegration,
    type: 'site_connector',
    base_url: 'http://site.world',
    configurations: {
      auth: { authentication_type: 'token', token: 'site-token' },
      ...Object.fromEntries(runnerPulls().map((action) => [action, pull])),
      pull_observations: { ...pull, subwindow_days },
    },
  };
};

const configureParks = (platform: PlatformSimulator, { parks }: WorldOptions, startAt: number): void => {
  const auth = { api_url: 'http://inbound.world', username: 'fieldteam', password: 'p4ssword' };
  for (let n = 0; n < parks; n += 1)
    platform.integrations.put({ id: parkId(n), type: 'device_connector', configurations: { auth, push_messages: {} } });
  platform.integrations.put(siteSettings(startAt, 3));
};

/** Whether the caller can doubt that its request was carried out. */
const isDoubtful = ({ status, delivery = 'send' }: SimulatedResponse): boolean => delivery !== 'send' || status >= 500;

/** Creates a world; it runs when its simulation runs. */
export const createWorld = async (options: WorldOptions, observers: Observers): Promise<World> => {
  const { log } = observers;
  const simulation = createSimulation(options.seed, observers);
  const { clock, chance } = simulation;
  const ways = createWays(simulation);
  const troubles = createTroubles();
  const isShort = (): boolean => platform.switches.list().some(({ fault }) => fault === 'short_list');
  /** The switch is gone with the last short list, before its response is seen here. */
  let wasShort = false;
  const network = createNetwork(simulation, ways.fate, {
    onResponse(response) {
      const isShortNow = isShort();
      if (isDoubtful(response) || isShortNow || wasShort) troubles.addNow(clock.now());
      wasShort = isShortNow;
    },
  });
  const { listen } = network;
  const counterpart = { port: 0, clock, listen };
  const platform = await startPlatform({
    ...counterpart,
    host: 'platform.world',
    random: chance('platform'),
    ingestLogLimit: 50_000,
    linkBase: 'http://platform.world',
  });
  const site = await startSite({
    ...counterpart,
    host: 'site.world',
    random: chance('site'),
    state: { sources: siteSources },
    logLimit: 1_000,
    switches: { clock_offset_s: Math.floor((chance('site clock').next() - 0.5) * 7_200) },
  });
  configureParks(platform, options, clock.now());
  const truth = createTruth(troubles);
  const leases = watchLeases({
    now: clock.now,
    troubles,
    exists: (key) => store.exists(key),
    onViolation: (violation) => void truth.violations.push(violation),
  });
  const bus = createWorldBus(simulation, serviceTopics, leases.publishes);
  const store = createWorldStore(simulation, leases);
  const shown: Violation[] = [];
  const takeLine = (line: string): void => {
    log?.(line);
    if (shown.length < 10) shown.push(...secretsIn(line, 'a log line'));
  };
  const surroundings = {
    simulation,
    fate: ways.fate,
    network,
    bus,
    store,
    env: { ...env, PUSH_AMBIGUOUS: options.ambiguous },
    log: takeLine,
    onKilled: () => troubles.addNow(clock.now()),
  };
  const replicas = serviceNames.flatMap((service) =>
    Array.from({ length: options.replicas[service] }, (_, index) => startReplica(service, index, surroundings)),
  );
  const population = startPopulation({ simulation, network, platform, site, truth, size: options });
  const inbound = await startVendorInbound({
    ...counterpart,
    host: 'inbound.world',
    username: 'fieldteam',
    password: 'p4ssword',
    devices: population.parks.flatMap(({ fleet }) => fleet.imeis),
  });
  return {
    simulation,
    ways,
    bus,
    store,
    platform,
    site,
    inbound,
    replicas,
    population,
    truth,
    troubles,
    shown,
  };
};
