/** Something that a scanner does not like. */
export interface Finding {
  readonly scanner: 'kube-score' | 'checkov';
  readonly check: string;
  /** Of the object. */
  readonly kind: string;
  /** Chart and file of values. */
  readonly rendering: string;
  /** Rendering, object and sentence, for people. */
  readonly where: string;
}

/** A check that does not count, for a kind of object or all, in one rendering or all, and why. */
export interface Exception {
  readonly scanner: Finding['scanner'];
  readonly check: string;
  readonly kind?: string;
  readonly rendering?: string;
  readonly why: string;
}

const covers = (exception: Exception, finding: Finding): boolean =>
  exception.scanner === finding.scanner &&
  exception.check === finding.check &&
  (exception.kind ?? finding.kind) === finding.kind &&
  (exception.rendering ?? finding.rendering) === finding.rendering;

/** What is found and nobody has explained, and what is explained and not found. */
export const weigh = (
  findings: readonly Finding[],
  exceptions: readonly Exception[],
): { unexplained: readonly string[]; unused: readonly Exception[] } => ({
  unexplained: findings
    .filter((finding) => !exceptions.some((exception) => covers(exception, finding)))
    .map(({ scanner, check, where }) => `${scanner} ${check}: ${where}`),
  unused: exceptions.filter((exception) => !findings.some((finding) => covers(exception, finding))),
});
