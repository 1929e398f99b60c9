import { commandsTopic } from '@ranger-relay/contracts';
import { refusalOf } from '@ranger-relay/http';
import {
  type commonEnv,
  type Env,
  type EnvProblem,
  type EnvTable,
  kinds,
  minTokenLength,
  refuseEnv,
  splitList,
} from '@ranger-relay/runtime';
import { type Authenticate, bearerAuth, oidcAuth, takeEverybody, type VerifyToken } from './http/auth/authenticate.ts';

/** Variables of every action service. */
export const actionsEnv = {
  MAX_ACTION_EXECUTION_TIME: {
    kind: kinds.integer(1, 3_600),
    default: '540',
    description: 'Longest run of an action, seconds',
  },
  PROCESS_PUBSUB_MESSAGES_IN_BACKGROUND: {
    kind: kinds.flag(),
    default: 'false',
    description: 'Whether POST / puts a command on the commands topic instead of running it at once',
  },
  INTEGRATION_SERVICE_URL: { kind: kinds.url(), description: 'Public address of this service' },
  REGISTER_ON_START: {
    kind: kinds.flag(),
    default: 'false',
    description:
      'Whether the integration type is registered at the platform at the start, in the background until it is taken',
  },
  INTEGRATION_COMMANDS_TOPIC: {
    kind: kinds.topic(),
    description: 'Topic of commands to run actions; `<slug>-actions-topic` when not set',
  },
  AUTH_MODE: {
    kind: kinds.oneOf('bearer', 'oidc', 'none'),
    default: 'bearer',
    description: 'How callers show who they are',
  },
  AUTH_TOKEN: {
    kind: kinds.text(20_000),
    secret: true,
    description: 'Bearer token of callers with AUTH_MODE=bearer; several are separated by commas',
  },
  AUTH_OIDC_ISSUER: {
    kind: kinds.urlList(500),
    description: 'Issuer of tokens with AUTH_MODE=oidc, such as https://host; several are separated by commas',
  },
  AUTH_OIDC_SERVICE_ACCOUNT: {
    kind: kinds.text(2_000),
    description: 'E-mail of the callers with AUTH_MODE=oidc; several are separated by commas',
  },
  ACTIONS_MAX_RUNNING: {
    kind: kinds.integer(1, 10_000),
    default: '100',
    description: 'Most runs of actions at a time',
  },
  ACTIONS_MAX_RUNNING_PER_INTEGRATION: {
    kind: kinds.integer(1, 10_000),
    default: '20',
    description: 'Most runs of actions of one integration at a time',
  },
  ACTIONS_MAX_BODY_BYTES: {
    kind: kinds.integer(1_024, 1_073_741_824),
    default: String(10 * 1_048_576),
    description: 'Largest body of a request, bytes',
  },
} as const satisfies EnvTable;

/** Parsed variables of an action service. */
export type ActionsConfig = Env<typeof actionsEnv>;

type CallerConfig = Pick<
  ActionsConfig,
  'AUTH_MODE' | 'AUTH_TOKEN' | 'AUTH_OIDC_ISSUER' | 'AUTH_OIDC_SERVICE_ACCOUNT' | 'INTEGRATION_SERVICE_URL'
> &
  Pick<Env<typeof commonEnv>, 'HTTP_ALLOWED_NETWORKS'>;

const oidcProblems = (config: CallerConfig): readonly EnvProblem[] => {
  const issuers = splitList(config.AUTH_OIDC_ISSUER);
  const wrong = issuers.find((issuer) => !URL.canParse(issuer));
  const refused = issuers.flatMap((issuer) => refusalOf(issuer, config.HTTP_ALLOWED_NETWORKS) ?? []);
  const problems: Readonly<Record<string, string | false>> = {
    INTEGRATION_SERVICE_URL:
      config.INTEGRATION_SERVICE_URL === undefined &&
      'is not set, but AUTH_MODE=oidc needs it as the audience of tokens',
    AUTH_OIDC_SERVICE_ACCOUNT:
      splitList(config.AUTH_OIDC_SERVICE_ACCOUNT).length === 0 &&
      'is not set, but AUTH_MODE=oidc needs it: without it every account of the issuer could call',
    AUTH_OIDC_ISSUER:
      wrong !== undefined || issuers.length === 0
        ? `is "${wrong ?? ''}", but must be addresses like https://host, separated by commas`
        : (refused[0] ?? false),
  };
  return Object.entries(problems).flatMap(([variable, problem]) => (problem === false ? [] : [{ variable, problem }]));
};

/** What is missing or wrong for the authentication of callers. */
export const callerProblems = (config: CallerConfig): readonly EnvProblem[] => {
  if (config.AUTH_MODE === 'none') return [];
  if (config.AUTH_MODE === 'oidc') return oidcProblems(config);
  const tokens = splitList(config.AUTH_TOKEN);
  if (tokens.length > 0 && tokens.every((token) => token.length >= minTokenLength)) return [];
  const problem =
    tokens.length === 0
      ? 'is not set, but AUTH_MODE=bearer needs it; set one token, or several separated by commas'
      : `has a token of fewer than ${minTokenLength} characters; it is not shown`;
  return [{ variable: 'AUTH_TOKEN', problem }];
};

/**
 * Creates the caller authentication from the configuration.
 * @param verifier creates the check of tokens of the identity provider; called with AUTH_MODE=oidc
 * @throws RelayError `config_invalid` naming the missing variables
 */
export const authenticateBy = (config: CallerConfig, verifier: () => VerifyToken): Authenticate => {
  refuseEnv(callerProblems(config));
  if (config.AUTH_MODE === 'none') return takeEverybody;
  if (config.AUTH_MODE === 'bearer') return bearerAuth(splitList(config.AUTH_TOKEN));
  return oidcAuth({
    verify: verifier(),
    audience: config.INTEGRATION_SERVICE_URL ?? '',
    issuers: splitList(config.AUTH_OIDC_ISSUER),
    serviceAccounts: splitList(config.AUTH_OIDC_SERVICE_ACCOUNT),
  });
};

/** Name of the commands topic of a service. */
export const commandsTopicOf = (config: Pick<ActionsConfig, 'INTEGRATION_COMMANDS_TOPIC'>, slug: string): string =>
  config.INTEGRATION_COMMANDS_TOPIC ?? commandsTopic(slug).name;
