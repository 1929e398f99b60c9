import { z } from 'zod';

/** State of one condition in the view of a process. Times in ms since 1970, by the clock of that process. */
const conditionStateSchema = z.object({
  name: z.string(),
  subject: z.string(),
  active: z.boolean(),
  since: z.number(),
  lastAt: z.number(),
  count: z.number(),
  details: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** Value of `conditions` in the store: what each process knows, by its instance, and what a person dismissed. `at`: when it last wrote, by its clock. */
export const conditionDocumentSchema = z.record(
  z.string(),
  z.object({ service: z.string(), at: z.number(), states: z.array(conditionStateSchema) }),
);
