import type { Integrations } from '@ranger-relay/platform';
import { type Clock, type Logger, shareFlight, within } from '@ranger-relay/runtime';

/** The integrations that schedules apply to. */
export interface EnabledIntegrations {
  /** Ids of the enabled integrations. @throws RelayError of the platform when it never answered */
  ids(): Promise<readonly string[]>;
}

/** Options of `createEnabledIntegrations`. */
export interface EnabledIntegrationsOptions {
  readonly list: Integrations['list'];
  readonly slug: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How long a list stays valid, ms. */
const freshMs = 55_000;
/** How long to wait for a slow platform when an older list is available, ms. */
const patienceMs = 10_000;

/** Caches the list of enabled integrations; while the platform is unavailable, the last list is used. */
export const createEnabledIntegrations = ({
  list,
  slug,
  clock,
  log,
}: EnabledIntegrationsOptions): EnabledIntegrations => {
  let known: { readonly ids: readonly string[]; readonly at: number } | undefined;

  const refresh = shareFlight(async (): Promise<readonly string[]> => {
    const ids = (await list(slug)).map(({ id }) => id).sort();
    known = { ids, at: clock.monotonic() };
    return ids;
  });

  const refreshOr = async (old: readonly string[]): Promise<readonly string[]> => {
    try {
      return await within({ clock, ms: patienceMs }, refresh(), () => old);
    } catch (error) {
      log.warn({ err: error }, 'the platform does not list the integrations; the last known ones are scheduled');
      return old;
    }
  };

  return {
    async ids() {
      if (!known) return refresh();
      return clock.monotonic() - known.at < freshMs ? known.ids : refreshOr(known.ids);
    },
  };
};
