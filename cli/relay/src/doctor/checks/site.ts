import { credentialsOf, isActiveUser, readAuthConfig } from '@ranger-relay/action-runner';
import type { HttpClient } from '@ranger-relay/http';
import { openSiteReader } from '@ranger-relay/site';
import type { Clock } from '@ranger-relay/runtime';
import { silentLog } from '../../actions/workbench.ts';
import type { Account } from '../facts.ts';
import { failed, ok, type Finding } from '../finding.ts';

/** What sites are asked with. */
export interface SiteParts {
  readonly http: HttpClient;
  readonly clock: Clock;
  /** SITE_CLIENT_ID. */
  readonly clientId: string;
}

/** Asks a site who the credentials of an integration belong to. */
export const siteAccount =
  ({ http, clock, clientId }: SiteParts) =>
  async ({ integration, auth }: Account, name: string, signal: AbortSignal): Promise<Finding> => {
    const { base_url: baseUrl } = integration;
    if (!baseUrl)
      return failed(name, 'it has no address', 'Set the address of the site at the integration in the portal.');
    const credentials = credentialsOf(readAuthConfig(auth));
    const reader = openSiteReader({ baseUrl, credentials, clientId, http, clock, log: silentLog(), signal });
    const active = isActiveUser(await reader.get('user/me'));
    const { host } = new URL(reader.root);
    return active
      ? ok(name, `${host} takes the credentials`)
      : failed(name, `${host} does not count their owner as active`, 'Activate the user at the site, or use another.');
  };
