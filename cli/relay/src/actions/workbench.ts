import { createLogger, parseEnv, type Logger } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';
import type { OpenStores, Stores } from '../program/stores.ts';
import { withOpen, withStores } from '../program/stores.ts';
import { cataloguesOf } from './catalogues.ts';
import { actionsCliEnv, type ActionsCliEnv } from './env.ts';
import { openLook, type Look } from './look.ts';
import { guardedClient, noPlatform, platformAccess } from './platform-api.ts';
import { servicesOf, type ActionService, type Catalogues } from './services.ts';

/** Dependencies of commands about actions. */
export interface ActionsDependencies {
  readonly shell: Shell;
  readonly openStores: OpenStores;
  /** Created when a command runs; those of this version when left out. @throws RelayError `crontab_invalid` */
  readonly catalogues?: (env: ActionsCliEnv) => Catalogues;
}

/** Everything that a command about an action reads. */
export interface Workbench extends Stores {
  readonly env: ActionsCliEnv;
  readonly services: readonly ActionService[];
  readonly schedules: Catalogues['schedules'];
  readonly look: Look;
}

/** A discarded log: commands report errors themselves. */
export const silentLog = (): Logger =>
  createLogger({ service: 'ranger-relay', level: 'silent', write: () => undefined });

/** Runs `work` with stores, services and read access to the configuration, and closes them in any case. @throws RelayError `config_invalid` */
export const atWorkbench = async <T>(
  { shell, openStores, catalogues = cataloguesOf }: ActionsDependencies,
  work: (bench: Workbench) => Promise<T>,
): Promise<T> => {
  const env = parseEnv(actionsCliEnv, shell.env);
  const known = catalogues(env);
  const { clock, random } = shell;
  const open = () => guardedClient(clock, env.HTTP_ALLOWED_NETWORKS, 'platform');
  return withOpen(open, (http) => {
    const api = platformAccess(env, http, clock)?.api ?? noPlatform;
    return withStores(openStores, (stores) => {
      const look = openLook({ api, config: stores.kv.config, clock, random, log: silentLog() });
      return work({ ...stores, env, services: servicesOf(env, known), schedules: known.schedules, look });
    });
  });
};
