import type { RollbackSpec } from '../api/rollback.ts';
import type { Command } from '../api/run-status.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import { shortHash } from './names.ts';

/** What something was made for. */
export interface MadeFor {
  readonly generation: number;
  readonly run: string;
  readonly inputs?: string | undefined;
}

/** A field that has its default says nothing, so that a version that adds one makes no plan void. */
const hashOf = (fields: object): string =>
  shortHash(JSON.stringify(Object.entries(fields).filter(([, value]) => value !== undefined && value !== false)));

/** Fields of a PatrolSync that decide what its plan holds and whether it is carried out; the others only say how the operator works. */
const planInputs = ({
  suspend: _suspend,
  retries: _retries,
  keepRuns: _keepRuns,
  jobRetention: _jobRetention,
  driftCheckInterval: _driftCheckInterval,
  maxDeactivations: _maxDeactivations,
  ...fields
}: SyncSpec): string => hashOf(fields);

/** Hash of the fields of a PatrolSync that a command follows from: another one makes void what was made before. Pure. */
export const syncInputs = (spec: SyncSpec, command: Command): string => {
  if (command === 'prune') return hashOf({ output: spec.output, keepRuns: spec.keepRuns });
  const plan = planInputs(spec);
  return command === 'apply' || command === 'resume' ? hashOf({ plan, most: spec.maxDeactivations }) : plan;
};

/** The same of a PatrolSyncRollback, for each of its commands. Pure. */
export const rollbackInputs = ({
  suspend: _suspend,
  retries: _retries,
  jobRetention: _jobRetention,
  ...fields
}: RollbackSpec): string => hashOf(fields);

/** Whether something was made for these inputs; what an older version wrote down knows the generation alone. */
export const isMadeFor = (made: MadeFor, { generation, run, inputs }: Required<MadeFor>): boolean =>
  made.run === run && (made.inputs === undefined ? made.generation === generation : made.inputs === inputs);
