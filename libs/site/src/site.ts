import { X509Certificate } from 'node:crypto';
import { RelayError } from '@ranger-relay/errors';
import { createHttpClient } from '@ranger-relay/http';
import type { Clock, Logger } from '@ranger-relay/runtime';
import { z } from 'zod';
import { readAddress } from './address.ts';
import type { Site, SiteUser } from './port.ts';
import { choiceCalls } from './records/choices.ts';
import { formCalls } from './records/form.ts';
import { groupCalls } from './records/groups.ts';
import { patrolTypeCalls } from './records/patrol-types.ts';
import { subjectCalls } from './records/subjects.ts';
import { createPacer, type SiteWait } from './wire/pacer.ts';
import { send } from './wire/send.ts';
import { createWire, type Wire } from './wire/wire.ts';

const flagSchema = z.object({ preview_features: z.object({ patrol_schemas: z.literal(true) }) });

const superuserSchema = z.object({ is_superuser: z.literal(true) });
/** Not every site lists them. */
const permissionsSchema = z.object({ permissions: z.array(z.unknown()) });

const viewPatrol = /^(?:activity\.)?view_patrol$/;

/** Who the token belongs to. @throws RelayError `site_unauthorized` and as {@link send} */
const readUser = async (wire: Wire): Promise<SiteUser> => {
  const payload = (await send(wire, { method: 'GET', path: 'user/me' })).payload();
  const isSuperuser = superuserSchema.safeParse(payload).success;
  const permissions = permissionsSchema.safeParse(payload).data?.permissions ?? [];
  return { isSuperuser, seesPatrols: isSuperuser || permissions.some((name) => viewPatrol.test(String(name))) };
};

/** What the site can do (site contract, 2). */
const statusCalls = (wire: Wire): Pick<Site, 'patrolSchemas'> => ({
  async patrolSchemas() {
    const reply = await send(wire, { method: 'GET', path: 'status/', anonymous: true }, [404]);
    return reply.ok && flagSchema.safeParse(reply.payload()).success;
  },
});

/** How a site is reached. */
export interface SiteOptions {
  /** As a person writes it: `host`, `host:port`, `https://host`, `https://host/api/v1.0/`; http only when written out. */
  readonly address: string;
  readonly token: string;
  readonly clock: Clock;
  readonly log: Pick<Logger, 'debug' | 'warn'>;
  /** Names the caller to the site, as `name/1.0`. */
  readonly userAgent: string;
  /** PEM of an authority that is trusted beside those that Node trusts. */
  readonly ca?: string;
  /** Milliseconds: 15,000 to connect, 120,000 for a whole request. */
  readonly timeouts?: { readonly connectMs?: number; readonly totalMs?: number };
  /** Requests under way at a time, from 1; default 4. */
  readonly inFlight?: number;
  /** How long an outage of a site that has answered is waited for, ms; default 120,000. */
  readonly patienceMs?: number;
  /** Where the settings of a proxy are found: HTTPS_PROXY, HTTP_PROXY, NO_PROXY. */
  readonly env?: NodeJS.ProcessEnv;
  /** Hears of every pause, which all requests share. */
  readonly onWait?: (wait: SiteWait) => void;
  /** Aborted: waits end at once and nothing more is sent; calls reject with `site_unavailable`. */
  readonly signal?: AbortSignal;
}

/** A person names the site, so any address will do; `readAddress` has seen to it that http was written out. */
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
 * Opens a site; nothing is sent before the first call.
 * @throws RelayError `site_address_invalid`, `site_token_invalid`, `site_authority_invalid`
 */
export const openSite = (options: SiteOptions): Site => {
  const { clock, log, userAgent, ca, env, timeouts = {}, inFlight = 4, patienceMs = 120_000, signal } = options;
  const { identity, origin, base } = readAddress(options.address);
  const token = checkToken(options.token);
  const http = createHttpClient({
    clock,
    userAgent,
    allowedNetworks: anywhere,
    upstream: 'site',
    connectMs: timeouts.connectMs ?? 15_000,
    totalMs: timeouts.totalMs ?? 120_000,
    maxSockets: inFlight,
    ...(ca === undefined ? {} : { ca: checkAuthority(ca) }),
    ...(env ? { proxy: env } : {}),
  });
  const onPause = (wait: SiteWait): void => options.onWait?.(wait);
  const pacer = createPacer({ clock, inFlight, patienceMs, onPause, signal });
  const wire = createWire({ http, base, token, pacer, clock, log, ...(signal ? { signal } : {}) });
  let user: SiteUser | undefined;
  const knownUser = async (): Promise<SiteUser> => (user ??= await readUser(wire));
  return {
    identity,
    origin,
    probe: async () => (user = await readUser(wire)),
    ...statusCalls(wire),
    ...patrolTypeCalls(wire, knownUser),
    ...choiceCalls(wire),
    ...formCalls(wire),
    ...subjectCalls(wire),
    ...groupCalls(wire),
    close: () => http.close(),
  };
};
