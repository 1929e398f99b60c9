import type { SyncSummary } from '@ranger-relay/contracts';
import type { RollbackSpec, RollbackStatus } from '../api/rollback.ts';
import type { Command } from '../api/run-status.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import type { SyncStatus } from '../api/sync-status.ts';
import type { Wanted } from './decision.ts';

/** Current state of a Job with the summary of its pod. */
export interface JobView {
  readonly name: string;
  readonly uid: string;
  /** Resource version of the Job. */
  readonly version: string;
  readonly command: Command;
  /** Purpose of the Job; undefined when its annotation cannot be read. */
  readonly wanted: Wanted | undefined;
  /** The Job exists and may not start yet. */
  readonly suspended: boolean;
  /** The Job has completed or failed. */
  readonly ended: boolean;
  /** Parsed termination message; undefined when it is missing or unreadable. */
  readonly summary: SyncSummary | undefined;
}

/** A pod that has not ended. Its Job may no longer exist. */
export interface LivePod {
  readonly name: string;
  readonly job: string;
  /** Why the pod has not started, if its status gives a reason. */
  readonly waits: string | undefined;
  /** When the pod should have terminated, ms since 1970; undefined when it was not asked to terminate. */
  readonly dueToEnd: number | undefined;
}

/** The Lease of the site that the object writes to. */
export interface SiteLockView {
  readonly mine: boolean;
  /** The Lease has no holder, or the holder no longer exists and has no Jobs or pods. */
  readonly free: boolean;
  /** Human-readable holder. */
  readonly holder: string;
}

/** Why the next Job may not use a Secret. */
export interface SecretProblem {
  readonly reason: 'SecretMissing' | 'SecretNotAllowed' | 'Refused';
  /** Problem and remedy. */
  readonly message: string;
}

/** Observed state of an object of either kind. */
export interface Observed<Spec, Status> {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly generation: number;
  readonly spec: Spec;
  readonly status: Status;
  readonly jobs: readonly JobView[];
  readonly pods: readonly LivePod[];
  readonly siteLock: SiteLockView;
  /** Problem with the Secrets that the Jobs need; undefined when there is none, or when no Job needs them. */
  readonly secretProblem: SecretProblem | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A rollback that names the object. */
export interface RollbackView {
  readonly name: string;
  readonly uid: string;
  /** The rollback writes or is about to write. */
  readonly wants: boolean;
}

/** Observed state of a PatrolSync. */
export interface SyncObserved extends Observed<SyncSpec, SyncStatus> {
  /** Value of the run annotation; empty for none. */
  readonly run: string;
  readonly rollbacks: readonly RollbackView[];
}

/** Observed state of a PatrolSyncRollback. */
export interface RollbackObserved extends Observed<RollbackSpec, RollbackStatus> {
  /** The PatrolSync that the rollback names; undefined when it does not exist. */
  readonly sync: { readonly folder: string; readonly stepsAside: boolean } | undefined;
}
