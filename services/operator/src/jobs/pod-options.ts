import type { Kind } from '@ranger-relay/runtime';
import { z } from 'zod';

const texts = z.record(z.string(), z.string());

/** What an installation adds to the pods of its Jobs. Their form below the names is the API server's to check. */
const podOptionsSchema = z.strictObject({
  labels: texts.optional(),
  annotations: texts.optional(),
  nodeSelector: texts.optional(),
  tolerations: z.array(z.looseObject({})).optional(),
  affinity: z.looseObject({}).optional(),
  priorityClassName: z.string().optional(),
  env: z.array(z.looseObject({ name: z.string() })).default([]),
  /** User and group; null where the cluster gives each namespace its own. */
  runAsUser: z.int().min(1).nullable().default(65_532),
});

export type PodOptions = z.infer<typeof podOptionsSchema>;

const parsed = (text: string, context: z.RefinementCtx): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'it is no JSON' });
    return z.NEVER;
  }
};

/** The same as JSON in a variable. */
export const podOptions: Kind<PodOptions> = {
  schema: z.string().max(20_000).transform(parsed).pipe(podOptionsSchema),
  takes: 'a JSON object with options of a pod',
};
