/** The signals that end work: gracefully or at once. */
export interface Term {
  /** Aborted when the work must end gracefully: running work may finish. */
  readonly stopping: AbortSignal;
  /** Aborted when the work must end at once, because another process may have taken over. */
  readonly lost: AbortSignal;
}
