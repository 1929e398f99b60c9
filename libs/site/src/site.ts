import { X509Certificate } from 'node:crypto';
import { RelayError } from '@ranger-relay/errors';
import { createHttpClient } from '@ranger-relay/http';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { z } from 'zod';
import { readAddress } from './address.ts';
import { createClient, fixedToken, send, type SiteClient } from './client/client.ts';
import { createPacer, type SiteWait } from './client/pacer.ts';
import type { Site, SiteUser } from './port.ts';
import { choiceCalls } from './records/choices.ts';
import { eventTypeCalls } from './records/event-types.ts';
import { formCalls } from './records/form.ts';
import { groupCalls } from './records/groups.ts';
import { patrolTypeCalls } from './records/patrol-types.ts';
import { defaultWord, subjectKeys } from './records/identity.ts';
import { subjectCalls } from './records/subjects.ts';

const flagSchema = z.object({ preview_features: z.object({ patrol_schemas: z.literal(true) }) });

const superuserSchema = z.object({ is_superuser: z.literal(true) });
/** By model, or a list of names; not every site shows them. */
const permissionsSchema = z.object({
  permissions: z.union([z.record(z.string(), z.array(z.string())), z.array(z.string())]),
});

const permissionName = /^(?:activity\.)?(add|change|delete|view)_(\w+)$/;

const byModel = (names: readonly string[]): Record<string, string[]> => {
  const permissions: Record<string, string[]> = {};
  for (const name of names) {
    const [, action, model] = permissionName.exec(name) ?? [];
    if (action !== undefined && model !== undefined) (permissions[model] ??= []).push(action);
  }
  return permissions;
};

/** Reads the owner of the token. @throws RelayError `site_unauthorized` and as {@link send} */
const readUser = async (client: SiteClient): Promise<SiteUser> => {
  const payload = (await send(client, { method: 'GET', path: 'user/me' })).payload();
  const isSuperuser = superuserSchema.safeParse(payload).success;
  const shown = permissionsSchema.safeParse(payload).data?.permissions ?? null;
  const permissions = Array.isArray(shown) ? byModel(shown) : shown;
  return { isSuperuser, permissions, seesPatrols: isSuperuser || permissions?.['patrol']?.includes('view') === true };
};

/** Whether the site shows that a user may not do something; false when it does not show permissions. */
export const lacksPermission = ({ isSuperuser, permissions }: SiteUser, model: string, action: string): boolean =>
  !isSuperuser &&
  permissions !== null &&
  Object.keys(permissions).length > 0 &&
  permissions[model]?.includes(action) !== true;

/** The options of opening a site. */
export interface SiteOptions {
  /** As the operator writes it: `host`, `host:port`, `https://host`, `https://host/api/v1.0/`; http only if `http://` is written out. */
  readonly address: string;
  readonly token: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  /** Identifies the caller to the site, as `name/1.0`. */
  readonly userAgent: string;
  /** PEM of a certificate authority that is trusted in addition to Node's own. */
  readonly ca?: string;
  /** Milliseconds: default 15,000 to connect, 120,000 for a whole request. */
  readonly timeouts?: { readonly connectMs?: number; readonly totalMs?: number };
  /** Maximum concurrent requests, from 1; default 4. */
  readonly inFlight?: number;
  /** How long to wait through an outage of a site that has responded before, ms; default 120,000. */
  readonly patienceMs?: number;
  /** Environment with the proxy settings: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
  readonly env?: NodeJS.ProcessEnv;
  /** Called for every pause, which all requests share. */
  readonly onWait?: (wait: SiteWait) => void;
  /** Creates the HTTP client; default: one that connects over the network. */
  readonly connect?: typeof createHttpClient;
  /** When aborted, waits end immediately and no further request is sent; calls reject with `site_unavailable`. */
  readonly signal?: AbortSignal;
}

/** The operator chooses the site, so every address is allowed; `readAddress` ensures that http is explicit. */
const anywhere = ['0.0.0.0/0', '::/0'];

const badToken = (problem: string): RelayError => new RelayError('site_token_invalid', { details: { problem } });

const checkToken = (text: string): string => {
  const token = text.trim();
  if (token === '') throw badToken('is empty');
  if (!/^[\x21-\x7e]+$/.test(token)) throw badToken('holds white space or other characters that no token has');
  return token;
};

const checkAuthority = (pem: string): string => {
  try {
    void new X509Certificate(pem);
    return pem;
  } catch {
    throw new RelayError('site_authority_invalid');
  }
};

/**
 * Opens a site; sends nothing before the first call.
 * @throws RelayError `site_address_invalid`, `site_token_invalid`, `site_authority_invalid`
 */
export const openSite = (options: SiteOptions): Site => {
  const {
    connect = createHttpClient,
    clock,
    log,
    userAgent,
    ca,
    env,
    timeouts = {},
    inFlight = 4,
    patienceMs = 120_000,
    signal,
  } = options;
  const address = readAddress(options.address);
  const token = checkToken(options.token);
  const http = connect({
    clock,
    userAgent,
    allowedNetworks: anywhere,
    upstream: 'site',
    connectMs: timeouts.connectMs ?? 15_000,
    totalMs: timeouts.totalMs ?? 120_000,
    maxSockets: inFlight,
    ...(ca === undefined ? {} : { ca: checkAuthority(ca) }),
    ...(env ? { env } : {}),
  });
  const onPause = (wait: SiteWait): void => options.onWait?.(wait);
  const client = createClient({
    http,
    address,
    access: fixedToken(token),
    policy: createPacer({ clock, inFlight, patienceMs, onPause, signal }),
    clock,
    log,
    maxBytes: 64 * 1_048_576,
    headers: { 'accept-encoding': 'gzip' },
    signal,
  });
  let user: SiteUser | undefined;
  const knownUser = async (): Promise<SiteUser> => (user ??= await readUser(client));
  const calls = {
    identity: address.identity,
    origin: address.origin,
    probe: async () => (user = await readUser(client)),
    /** The features of the site (site contract, 2). */
    async patrolSchemas() {
      const reply = await send(client, { method: 'GET', path: 'status/', anonymous: true }, [404]);
      return reply.ok && flagSchema.safeParse(reply.payload()).success;
    },
    ...patrolTypeCalls(client, knownUser),
    ...choiceCalls(client),
    ...formCalls(client),
    ...groupCalls(client),
    ...eventTypeCalls(client),
    close: () => http.close(),
  };
  const withWord = (word: string): Site => ({ ...calls, ...subjectCalls(client, subjectKeys(word)), withWord });
  return withWord(defaultWord);
};
