import type { RunIntegration } from '@ranger-relay/actions';
import { createDeadLetters, type Bus, type DeadLetters } from '@ranger-relay/bus';
import { topics } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import type { Context } from '@ranger-relay/runtime';
import { openSiteReader, type SiteReader } from '@ranger-relay/site';
import { credentialsOf, readAuthConfig } from './auth/auth.ts';
import { createSourceMemory, type SourceMemory } from './mapping/source-directory.ts';

/** The `tools` of every handler of this service. */
export interface SiteDependencies {
  /**
   * Opens the site of an integration with the settings of its `auth` action; sends nothing yet.
   * @throws RelayError `site_address_invalid`, `site_credentials_invalid`
   */
  openReader(integration: Pick<RunIntegration, 'baseUrl'>, authConfig: unknown, signal: AbortSignal): SiteReader;
  readonly bus: Pick<Bus, 'publish'>;
  readonly deadLetters: DeadLetters;
  /** Topics of pulled observations and events. */
  readonly sourceEventsTopic: string;
  readonly siteEventsTopic: string;
  /** How far each requested bound reaches back, ms: rows may commit out of order. */
  readonly overlapMs: number;
  /** How late records may arrive at a site that cannot filter by arrival, ms. */
  readonly lateMs: number;
  /** For the directories of all runs. */
  readonly sourceMemory: SourceMemory;
}

/** Variables that the tools read. */
export interface SiteToolsConfig {
  /** Client id for password-based token requests to the site. */
  readonly SITE_CLIENT_ID: string;
  /** Seconds. */
  readonly PULL_OVERLAP: number;
  readonly PULL_LATE: number;
}

/** Creates the tools; `http` is the client for all sites. */
export const createSiteTools = (
  { clock, log, random, metrics }: Pick<Context, 'clock' | 'log' | 'random' | 'metrics'>,
  bus: Pick<Bus, 'publish'>,
  { SITE_CLIENT_ID: clientId, PULL_OVERLAP, PULL_LATE }: SiteToolsConfig,
  http: HttpClient,
): SiteDependencies => ({
  openReader({ baseUrl }, stored, signal) {
    if (baseUrl === null)
      throw new RelayError('site_address_invalid', { details: { problem: 'is not set at the integration' } });
    const credentials = credentialsOf(readAuthConfig(stored));
    return openSiteReader({ baseUrl, credentials, clientId, http, clock, log, signal });
  },
  bus,
  deadLetters: createDeadLetters({ bus, clock, random, metrics, log }),
  sourceEventsTopic: topics.sourceEvents.name,
  siteEventsTopic: topics.siteEvents.name,
  overlapMs: PULL_OVERLAP * 1_000,
  lateMs: PULL_LATE * 1_000,
  sourceMemory: createSourceMemory(),
});
