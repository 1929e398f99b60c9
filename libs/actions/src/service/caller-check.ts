import { createHttpClient } from '@ranger-relay/http';
import type { commonEnv, Context, Env } from '@ranger-relay/runtime';
import { authenticateBy, type ActionsConfig } from '../env.ts';
import type { Authenticate } from '../http/auth/authenticate.ts';
import { tokensOf } from '../http/auth/bearer.ts';
import { verifyByJwks } from '../http/auth/jwks.ts';
import type { VerifyToken } from '../http/auth/oidc.ts';

/** Variables that the check of callers reads. */
export type CallerCheckConfig = ActionsConfig & Pick<Env<typeof commonEnv>, 'HTTP_ALLOWED_NETWORKS'>;

const verifyWith = ({ clock, metrics, lifecycle }: Context, config: CallerCheckConfig): VerifyToken => {
  const http = createHttpClient({
    clock,
    metrics,
    allowedNetworks: config.HTTP_ALLOWED_NETWORKS,
    userAgent: 'ranger-relay',
    upstream: 'identity_provider',
    maxSockets: 4,
  });
  lifecycle.onStop('identity provider connections', () => http.close());
  return verifyByJwks(tokensOf(config.AUTH_OIDC_ISSUER ?? ''), { http, clock });
};

/**
 * The check of callers that a service's configuration asks for, with connections of its own to the identity provider.
 * @throws RelayError `config_invalid`
 */
export const callerCheck = (context: Context, config: CallerCheckConfig, verify?: VerifyToken): Authenticate =>
  config.AUTH_MODE === 'oidc' ? authenticateBy(config, verify ?? verifyWith(context, config)) : authenticateBy(config);
