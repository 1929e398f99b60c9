import type { Integrations } from '@ranger-relay/platform';
import { type Clock, type Conditions, type Logger, shareFlight, within } from '@ranger-relay/runtime';

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
  readonly conditions: Pick<Conditions, 'set' | 'clear' | 'endSubject'>;
}

/** How long a list stays valid, ms. */
const freshMs = 55_000;
/** How long an empty list after a full one counts as no answer, ms. */
const doubtMs = 3_600_000;
/** How long to wait for a slow platform when an older list is available, ms. */
const patienceMs = 10_000;

/**
 * Caches the list of enabled integrations; while the platform is unavailable, the last list is used. An empty list may be that of a platform
 * which has lost its data, or hides it: for an hour it does not replace a full one.
 */
export const createEnabledIntegrations = ({
  list,
  slug,
  clock,
  log,
  conditions,
}: EnabledIntegrationsOptions): EnabledIntegrations => {
  let known: { readonly ids: readonly string[]; readonly at: number } | undefined;

  let emptySince: number | undefined;

  const refresh = shareFlight(async (): Promise<readonly string[]> => {
    const ids = (await list(slug)).map(({ id }) => id).sort();
    const at = clock.monotonic();
    emptySince = ids.length > 0 ? undefined : (emptySince ?? at);
    const isDoubted = emptySince !== undefined && at - emptySince < doubtMs && (known?.ids.length ?? 0) > 0;
    if (isDoubted) conditions.set('integrations_unlisted', '', { type: slug });
    else conditions.clear('integrations_unlisted', '');
    // A config event may be lost: nothing is wrong any more with one that is not listed.
    const gone = isDoubted ? [] : (known?.ids ?? []).filter((id) => !ids.includes(id));
    for (const id of gone) conditions.endSubject(id, 'disabled');
    known = { ids: isDoubted ? (known?.ids ?? []) : ids, at };
    return known.ids;
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
