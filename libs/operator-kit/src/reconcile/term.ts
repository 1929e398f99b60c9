/** How long something may go on: two ways to be told to end. */
export interface Term {
  /** Aborted when it has to end in order: what was begun may be finished. */
  readonly stopping: AbortSignal;
  /** Aborted when it has to end at once: somebody else may have begun. */
  readonly lost: AbortSignal;
}
