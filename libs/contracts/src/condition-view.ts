import { z } from 'zod';

/** State of one condition in the view of a process. Times in ms since 1970, by the clock of that process. */
export const conditionStateSchema = z.object({
  name: z.string(),
  subject: z.string(),
  active: z.boolean(),
  since: z.number(),
  lastAt: z.number(),
  count: z.number(),
  details: z.record(z.string(), z.union([z.string(), z.number()])),
});

/** What a process, or a person who dismissed a condition, knows: the value of `conditions.<service>.<instance>` in the store. */
export const conditionViewSchema = z.array(conditionStateSchema);
