import { platformSettings, type PlatformSettings } from '@ranger-relay/platform';
import type { Simulation } from './simulation.ts';
import type { UpConfig } from './config.ts';

const loopback = '127.0.0.0/8';

/** In the trial a user should not wait ten minutes for a pull. */
export const trialSchedules = 'pull_observations:* * * * *';

/** Where the platform is: the real one, or the simulated one. @throws RelayError `config_invalid` */
export const outsideOf = (config: UpConfig, simulation: Simulation | undefined): PlatformSettings => {
  if (!simulation) return platformSettings(config);
  const { apiBaseUrl, sensorsBaseUrl, tokenUrl, client } = simulation.platform;
  return {
    apiBaseUrl,
    sensorsBaseUrl,
    tokenUrl,
    clientId: client.id,
    clientSecret: client.secret,
    audience: undefined,
    grant: 'client_credentials',
  };
};

/** The configuration with the values of the simulation. */
export const settingsOf = (config: UpConfig, simulation: Simulation | undefined) => ({
  ...config,
  HEALTH_PORT: undefined,
  WEBHOOK_TOKENS_FILE: config.WEBHOOK_TOKENS_FILE ?? simulation?.tokensFile,
  AUTH_TOKEN: config.AUTH_TOKEN ?? simulation?.actionsToken,
  ACTION_SCHEDULES: config.ACTION_SCHEDULES ?? (simulation ? trialSchedules : undefined),
  // With one simulated site there is no load to spread, and a user waits for its first pull.
  SCHEDULE_JITTER: simulation ? 0 : config.SCHEDULE_JITTER,
  HTTP_ALLOWED_NETWORKS: simulation ? [...config.HTTP_ALLOWED_NETWORKS, loopback] : config.HTTP_ALLOWED_NETWORKS,
});

/** Configuration of all services of the process. */
export type Settings = ReturnType<typeof settingsOf>;

/** Integration type of a service that serves actions, and where it listens. */
interface Place {
  readonly slug: string;
  readonly port: number;
  readonly url?: string | undefined;
}

/** The configuration of one service. */
export const serviceSettings = (settings: Settings, { slug, port, url }: Place) => ({
  ...settings,
  PORT: port,
  INTEGRATION_TYPE_SLUG: slug,
  INTEGRATION_SERVICE_URL: url,
  // Each service has a commands topic of its own, named after its type.
  INTEGRATION_COMMANDS_TOPIC: undefined,
});
