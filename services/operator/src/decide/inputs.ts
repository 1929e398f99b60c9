import type { RollbackSpec } from '../api/rollback.ts';
import type { Command } from '../api/run-status.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import { shortHash } from './names.ts';

/** Inputs that a plan, run or check was made for. */
export interface MadeFor {
  readonly generation: number;
  readonly run: string;
  readonly inputs?: string | undefined;
}

/** Hashes only fields that differ from their default, so that a version that adds a field invalidates no plan. */
const hashOf = (fields: object): string =>
  shortHash(JSON.stringify(Object.entries(fields).filter(([, value]) => value !== undefined && value !== false)));

/** Fields of a PatrolSync that determine the content of its plan and whether it is applied; the others only configure the operator. */
const planInputs = ({
  suspend: _suspend,
  retries: _retries,
  keepRuns: _keepRuns,
  jobRetention: _jobRetention,
  driftCheckInterval: _driftCheckInterval,
  maxDeactivations: _maxDeactivations,
  ...fields
}: SyncSpec): string => hashOf(fields);

/** Hash of the PatrolSync fields that a command depends on; a different hash invalidates earlier results. Pure. */
export const syncInputs = (spec: SyncSpec, command: Command): string => {
  if (command === 'prune') return hashOf({ output: spec.output, keepRuns: spec.keepRuns });
  const plan = planInputs(spec);
  return command === 'apply' || command === 'resume' ? hashOf({ plan, most: spec.maxDeactivations }) : plan;
};

/** Hash of the PatrolSyncRollback fields that each of its commands depends on. Pure. */
export const rollbackInputs = ({
  suspend: _suspend,
  retries: _retries,
  jobRetention: _jobRetention,
  ...fields
}: RollbackSpec): string => hashOf(fields);

/** Whether something was made for these inputs; records of older versions hold only the generation. */
export const isMadeFor = (made: MadeFor, { generation, run, inputs }: Required<MadeFor>): boolean =>
  made.run === run && (made.inputs === undefined ? made.generation === generation : made.inputs === inputs);
