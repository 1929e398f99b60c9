import type { ActionContext } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import { z } from 'zod';
import { readInstant } from '../mapping/instant.ts';
import type { SiteDependencies } from '../tools.ts';

const isInstant = (text: string): boolean => readInstant(text) !== undefined;
const instantProblem = 'is not an ISO 8601 date and time, such as 2026-01-31T06:00:00+03:00';

/** Settings of every pull of the site (platform contract, site pull actions). */
export const pullFields = {
  start_datetime: z.string().max(100).refine(isInstant, instantProblem).meta({
    title: 'Start',
    description: 'Start of the first run and of every forced run; UTC unless it names an offset.',
    format: 'date-time',
  }),
  end_datetime: z
    .string()
    .max(100)
    .refine((text) => text.trim() === '' || isInstant(text), instantProblem)
    .nullish()
    .meta({
      title: 'End',
      description: 'Later rows are ignored; by default a run reads up to its own time.',
      format: 'date-time',
    }),
  force_run_since_start: z.boolean().default(false).meta({
    title: 'Run from the start',
    description: 'Pulls everything since the start again instead of continuing where the last run ended.',
  }),
  run_on_schedule: z.boolean().default(false).meta({
    title: 'Run on schedule',
    description: 'Without it, the action runs only on request.',
  }),
};

type PullFields = z.output<z.ZodObject<typeof pullFields>>;

/** The dates that a run reads, ms since 1970: from `start` to before `end`, which is Infinity for no end. */
export const windowOf = ({ start_datetime: start, end_datetime: end }: PullFields) => ({
  start: readInstant(start) ?? 0,
  end: readInstant(end) ?? Infinity,
});

type PullContext = ActionContext<unknown, unknown, Pick<SiteDependencies, 'openReader'>>;

/**
 * The saved integration of a pull, and its site.
 * @throws RelayError `integration_unsaved`, `site_address_invalid`, `site_credentials_invalid`; of the platform
 */
export const openPull = async ({ integration: { id, baseUrl }, actionId, tools, signal, configOf }: PullContext) => {
  if (id === null) throw new RelayError('integration_unsaved', { details: { action: actionId } });
  return { integrationId: id, site: tools.openReader({ baseUrl }, await configOf('auth'), signal) };
};
