import type { SyncSummary } from '@ranger-relay/contracts';
import type { RollbackSpec, RollbackStatus } from '../api/rollback.ts';
import type { Command } from '../api/run-status.ts';
import type { SyncSpec } from '../api/sync-spec.ts';
import type { SyncStatus } from '../api/sync-status.ts';
import type { Wanted } from './decision.ts';

/** A Job as it is now, with what its pod left. */
export interface JobView {
  readonly name: string;
  readonly uid: string;
  /** Changes with every change of the Job. */
  readonly version: string;
  readonly command: Command;
  /** What it was made for; undefined when it does not say that in a way that can be read. */
  readonly wanted: Wanted | undefined;
  /** It was made and may not begin yet. */
  readonly suspended: boolean;
  /** It has come to its end, well or not. */
  readonly ended: boolean;
  /** Its termination message; undefined when there is none, or none that can be read. */
  readonly summary: SyncSummary | undefined;
}

/** A pod that has not ended, and the Job that it belongs to, which may be gone. */
export interface LivePod {
  readonly name: string;
  readonly job: string;
  /** Why it has not begun, as far as its status says it. */
  readonly waits: string | undefined;
  /** When it should have been gone, ms since 1970; undefined when nobody asked it to end. */
  readonly dueToEnd: number | undefined;
}

/** The Lease of the site that the object writes to. */
export interface SiteLockView {
  readonly mine: boolean;
  /** Nobody has it, or whoever had it is gone with its Jobs and pods. */
  readonly free: boolean;
  /** Who has it, for people. */
  readonly holder: string;
}

/** Why the next Job may not have a Secret. */
export interface SecretProblem {
  readonly reason: 'SecretMissing' | 'SecretNotAllowed' | 'Refused';
  /** What is so, and what to do. */
  readonly message: string;
}

/** What is seen of an object of either kind. */
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
  /** What is wrong with the Secrets that the Jobs need; undefined when nothing is, or nobody needs to know. */
  readonly secretProblem: SecretProblem | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A rollback that names the object. */
export interface RollbackView {
  readonly name: string;
  readonly uid: string;
  /** It writes, or is about to. */
  readonly wants: boolean;
}

/** What is seen of a PatrolSync. */
export interface SyncObserved extends Observed<SyncSpec, SyncStatus> {
  /** Value of the run annotation; empty for none. */
  readonly run: string;
  readonly rollbacks: readonly RollbackView[];
}

/** What is seen of a PatrolSyncRollback. */
export interface RollbackObserved extends Observed<RollbackSpec, RollbackStatus> {
  /** The PatrolSync that it names; undefined when it is not there. */
  readonly sync: { readonly folder: string; readonly stepsAside: boolean } | undefined;
}
