import { alignColumns, printable, type Shell } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { actionsCliEnv } from '../actions/env.ts';
import { outputOption, print } from '../program/output.ts';
import { storesHelp } from '../program/open-stores.ts';
import type { ExamineOptions } from './all-checks.ts';
import { type DoctorDependencies, examine } from './examine.ts';
import type { Finding } from './finding.ts';

const signOf = ({ paint }: Shell, { status }: Finding): string => {
  if (status === 'ok') return paint.green('ok');
  if (status === 'failed') return paint.red('failed');
  return status === 'warning' ? paint.yellow('warning') : paint.dim('skipped');
};

const rowOf = (shell: Shell, finding: Finding): string[] => {
  const { name, detail, remedy } = finding;
  const text = remedy === undefined ? detail : `${detail.replace(/\.$/, '')}. ${remedy}`;
  return [signOf(shell, finding), printable(name), printable(text)];
};

/** Whether nothing has failed. */
export const isWell = (findings: readonly Finding[]): boolean => findings.every(({ status }) => status !== 'failed');

/** Findings as a table: status, check, detail and remedy. */
export const findingLines = (shell: Shell, findings: readonly Finding[]): string[] =>
  alignColumns(
    findings.map((finding) => rowOf(shell, finding)),
    ['left', 'left', 'left'],
  );

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

interface Options extends ExamineOptions {
  readonly output: string;
}

const doctor = async (dependencies: DoctorDependencies, { output, ...options }: Options): Promise<void> => {
  const { shell } = dependencies;
  const findings = await examine(dependencies, options);
  const ok = isWell(findings);
  if (!ok) shell.fail();
  print(shell, output, { ok, checks: findings }, () => findingLines(shell, findings));
};

/** `doctor`: checks everything that the system needs. */
export const doctorCommand = (dependencies: DoctorDependencies): Command =>
  new Command('doctor')
    .option('--ping', 'call the vendor too, which causes an event at a device of each integration')
    .option('--allow-single-copies', 'warn of topics with one copy of each record instead of failing')
    .addOption(outputOption())
    .addHelpText('after', storesHelp(actionsCliEnv))
    .addHelpText('after', '\nExample:\n  $ ranger-relay doctor')
    .action((options: Options) => doctor(dependencies, options));
