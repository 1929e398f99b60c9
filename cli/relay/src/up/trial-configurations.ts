import type { Catalogue } from '@ranger-relay/actions';

/** Settings of an integration by action, as the platform keeps them. */
export type Configurations = Readonly<Record<string, unknown>>;

/**
 * Settings of every action that a service has, so that one that was just added runs in the trial too: those that are there already, else those
 * of the trial, else none but where to start from.
 * @param start ISO, for actions that ask for `start_datetime`
 */
export const trialConfigurations = (
  { actions }: Pick<Catalogue, 'actions'>,
  present: Configurations,
  ofTrial: Configurations,
  start: string,
): Configurations => {
  const found = actions
    .filter(({ internal }) => !internal)
    .map(({ id, config }) => [id, 'start_datetime' in config.shape ? { start_datetime: start } : {}] as const);
  return { ...Object.fromEntries(found), ...ofTrial, ...present };
};
