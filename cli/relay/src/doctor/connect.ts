import { findingLines, isWell } from './command.ts';
import { type DoctorDependencies, examine } from './examine.ts';

/** Asks what a start would call, and prints the answers; resolves with false when something does not work. */
export type Counterparts = () => Promise<boolean>;

/** The checks of `doctor` that need no running process. */
export const counterpartsOf =
  (dependencies: DoctorDependencies): Counterparts =>
  async () => {
    const { shell } = dependencies;
    const findings = await examine(dependencies, { stopped: true });
    for (const line of findingLines(shell, findings)) shell.out(line);
    return isWell(findings);
  };
