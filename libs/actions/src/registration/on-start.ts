import type { Platform } from '@ranger-relay/platform';
import type { Context } from '@ranger-relay/runtime';
import type { ActionsConfig } from '../env.ts';
import { registrationBody, type TypeSpec } from './body.ts';
import { registrationWarnings } from './warnings.ts';

/** Variables that registering at the start reads. */
export type RegisterConfig = Pick<ActionsConfig, 'REGISTER_ON_START' | 'INTEGRATION_SERVICE_URL'> & {
  readonly INTEGRATION_TYPE_SLUG: string;
};

/**
 * Registers the service's integration type when REGISTER_ON_START says so; to be called before anything is served.
 * @throws RelayError `registration_refused`, `config_invalid`, `crontab_invalid` and those of the platform: the service must not start
 */
export const registerOnStart = async (
  { log }: Pick<Context, 'log'>,
  platform: Pick<Platform, 'registerType'>,
  config: RegisterConfig,
  spec: Omit<TypeSpec, 'slug' | 'serviceUrl'>,
): Promise<void> => {
  if (!config.REGISTER_ON_START) return;
  const type = { ...spec, slug: config.INTEGRATION_TYPE_SLUG, serviceUrl: config.INTEGRATION_SERVICE_URL };
  for (const warning of registrationWarnings(type)) log.warn(warning);
  const body = registrationBody(type);
  await platform.registerType(body);
  log.info({ type: body.value, actions: body.actions.map(({ value }) => value) }, 'the integration type is registered');
};
