import { z } from 'zod';
import { readInstant } from '../mapping/instant.ts';

const isInstant = (text: string): boolean => readInstant(text) !== undefined;
const instantProblem = 'is no ISO 8601 date and time, such as 2026-01-31T06:00:00+03:00';

/** Settings of every pull of the site (platform contract, site pull actions). */
export const pullFields = {
  start_datetime: z.string().max(100).refine(isInstant, instantProblem).meta({
    title: 'Start',
    description: 'Where the first run and every forced one begins; UTC unless it names an offset.',
    format: 'date-time',
  }),
  end_datetime: z
    .string()
    .max(100)
    .refine((text) => text.trim() === '' || isInstant(text), instantProblem)
    .nullish()
    .meta({
      title: 'End',
      description: 'What is later is left alone; without it a run goes up to its own time.',
      format: 'date-time',
    }),
  force_run_since_start: z.boolean().default(false).meta({
    title: 'Run from the start',
    description: 'Pulls everything since the start again instead of going on where the last run ended.',
  }),
  run_on_schedule: z.boolean().default(false).meta({
    title: 'Run on schedule',
    description: 'Without it, only runs that somebody asks for take place.',
  }),
};

/** An instant of a validated configuration; undefined when it is empty. */
export const instantIn = (text: string | null | undefined): number | undefined => readInstant(text);
