import { writeFile } from 'node:fs/promises';
import type { SyncPlan } from '@ranger-relay/contracts';
import { RelayError } from '@ranger-relay/errors';

/** Writes a plan for `apply`. @throws RelayError `output_not_writable` */
export const writePlan = async (path: string, plan: SyncPlan): Promise<void> => {
  try {
    await writeFile(path, `${JSON.stringify(plan, null, 2)}\n`);
  } catch (error) {
    throw new RelayError('output_not_writable', { details: { path, reason: (error as Error).message }, cause: error });
  }
};
