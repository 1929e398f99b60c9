import type { Platform, TypeRegistration } from '@ranger-relay/platform';
import { type Backoff, type Context, retry } from '@ranger-relay/runtime';
import type { ActionsConfig } from '../env.ts';
import { registrationBody, registrationWarnings, type TypeSpec } from './body.ts';

/** Variables of the registration at start. */
export type RegisterConfig = Pick<ActionsConfig, 'REGISTER_ON_START' | 'INTEGRATION_SERVICE_URL'> & {
  readonly INTEGRATION_TYPE_SLUG: string;
};

/** Delay between attempts; one attempt makes three calls to the platform. */
const backoff: Backoff = { baseMs: 5_000, maxMs: 600_000, jitterMs: 5_000 };

type Registering = Pick<Context, 'clock' | 'random' | 'log' | 'lifecycle'>;

/** Retries until the platform has registered the type; rejects when the process ends. */
const registerInTheEnd = async (
  { clock, random, log }: Registering,
  platform: Pick<Platform, 'registerType'>,
  body: TypeRegistration,
  signal: AbortSignal,
): Promise<void> => {
  const type = body.value;
  const onError = (err: unknown, delayMs: number): number => {
    log.error({ type, again_in_s: Math.round(delayMs / 1_000), err }, 'the integration type is not registered');
    return delayMs;
  };
  await retry({ backoff, clock, random, signal, onError }, () => platform.registerType(body));
  log.info({ type, actions: body.actions.map(({ value }) => value) }, 'the integration type is registered');
};

/**
 * Registers the service's integration type in the background when REGISTER_ON_START is set, and retries until the platform accepts it. The
 * service does not wait for the platform, because it can work without the registration.
 * @throws RelayError `config_invalid`, `crontab_invalid` when the registration cannot be built
 */
export const registerOnStart = (
  context: Registering,
  platform: Pick<Platform, 'registerType'>,
  config: RegisterConfig,
  spec: Omit<TypeSpec, 'slug' | 'serviceUrl'>,
): void => {
  if (!config.REGISTER_ON_START) return;
  const type = { ...spec, slug: config.INTEGRATION_TYPE_SLUG, serviceUrl: config.INTEGRATION_SERVICE_URL };
  for (const warning of registrationWarnings(type)) context.log.warn(warning);
  const body = registrationBody(type);
  const stop = new AbortController();
  registerInTheEnd(context, platform, body, stop.signal).catch(() => undefined);
  context.lifecycle.onStop('registration', () => stop.abort());
};
