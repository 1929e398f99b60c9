import { commonEnv, kinds, kvEnv, platformEnv, type Env, type EnvProblem, type EnvTable } from '@ranger-relay/runtime';
import { tokensFileProblems, tokensFileWarning } from './auth/tokens-file.ts';

const MiB = 1_048_576;

/** Variables of the webhook ingester. */
export const ingesterEnv = {
  PORT: { kind: kinds.port(), default: '8081', description: 'Port of POST /webhooks' },
  INTEGRATION_TYPE_SLUG: {
    kind: kinds.slug(),
    default: 'device_connector',
    description: 'Integration type whose webhook the activity log names',
  },
  WEBHOOK_AUTH: {
    kind: kinds.oneOf('token', 'gateway', 'none'),
    default: 'token',
    description: 'Who authenticates callers: this service by token, a gateway in front of it, or nobody',
  },
  WEBHOOK_TOKENS_FILE: {
    kind: kinds.path(),
    description:
      'JSON file of the valid tokens, {"<integration id>":["<token>" or "sha256:<hex>"]}; the service reloads it when it changes',
  },
  WEBHOOK_INTEGRATION_HEADER: {
    kind: kinds.text(100),
    default: 'x-integration-id',
    description: 'Header that names the integration',
  },
  WEBHOOK_TRUSTED_PROXIES: {
    kind: kinds.networks(),
    default: '',
    description: 'Networks of the gateway; required by WEBHOOK_AUTH=gateway',
  },
  WEBHOOK_MAX_BODY_BYTES: {
    kind: kinds.integer(1_024, 1_024 * MiB),
    default: String(16 * MiB),
    description: 'Maximum size of a body, bytes',
  },
  WEBHOOK_MAX_BUFFERED_BYTES: {
    kind: kinds.integer(1_024, 16_384 * MiB),
    default: String(128 * MiB),
    description: 'Maximum bytes of all bodies in memory',
  },
  WEBHOOK_MAX_BYTES_PER_MINUTE: {
    kind: kinds.integer(1_024, 1_048_576 * MiB),
    default: String(64 * MiB),
    description: 'Maximum bytes of bodies per minute and integration; one body of the maximum size is always accepted',
  },
  WEBHOOK_INVALID_BODY: {
    kind: kinds.oneOf('ack', 'reject'),
    default: 'ack',
    description:
      'Response to a body that is not an envelope: 200 (ack) or 422 (reject); the body is stored in both cases',
  },
  ...commonEnv,
  ...platformEnv,
  ...kvEnv,
} as const satisfies EnvTable;

/** Parsed configuration of the ingester. */
export type IngesterConfig = Env<typeof ingesterEnv>;

const tokensProblems = (path: string | undefined): readonly EnvProblem[] => {
  if (path !== undefined) return tokensFileProblems(path);
  const problem = 'is not set, but WEBHOOK_AUTH=token needs it; it takes the path of a JSON file';
  return [{ variable: 'WEBHOOK_TOKENS_FILE', problem }];
};

/** Rules between variables, and the tokens file; `ranger-relay up` has its own table and applies these rules too. */
export const ingesterProblems = (
  config: Pick<
    IngesterConfig,
    | 'WEBHOOK_AUTH'
    | 'WEBHOOK_TOKENS_FILE'
    | 'WEBHOOK_TRUSTED_PROXIES'
    | 'WEBHOOK_MAX_BODY_BYTES'
    | 'WEBHOOK_MAX_BUFFERED_BYTES'
  >,
): readonly EnvProblem[] => {
  const { WEBHOOK_AUTH: auth, WEBHOOK_MAX_BODY_BYTES: body, WEBHOOK_MAX_BUFFERED_BYTES: buffered } = config;
  const problems: EnvProblem[] = [];
  if (auth === 'token') problems.push(...tokensProblems(config.WEBHOOK_TOKENS_FILE));
  if (auth === 'gateway' && config.WEBHOOK_TRUSTED_PROXIES.length === 0)
    problems.push({
      variable: 'WEBHOOK_TRUSTED_PROXIES',
      problem: 'is empty, but WEBHOOK_AUTH=gateway needs the networks of the gateway',
    });
  if (buffered < body)
    problems.push({
      variable: 'WEBHOOK_MAX_BUFFERED_BYTES',
      problem: `is ${buffered}, but must be at least WEBHOOK_MAX_BODY_BYTES (${body})`,
    });
  return problems;
};

/** What to know of a configuration that a start accepts. */
export const ingesterWarnings = ({
  WEBHOOK_AUTH: auth,
  WEBHOOK_TOKENS_FILE: path,
}: Pick<IngesterConfig, 'WEBHOOK_AUTH' | 'WEBHOOK_TOKENS_FILE'>): readonly string[] =>
  auth === 'token' && path !== undefined ? [tokensFileWarning(path) ?? []].flat() : [];
