import { z } from 'zod';
import { readInstant } from '../mapping/instant.ts';

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

/** An instant of a validated configuration; undefined when it is empty. */
export const instantIn = (text: string | null | undefined): number | undefined => readInstant(text);
