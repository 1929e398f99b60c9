import { envHelp } from '@ranger-relay/runtime';
import { printableJson } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { actionsCliEnv } from '../actions/env.ts';
import { outputOption, type Output } from '../actions/options.ts';
import type { ExamineOptions } from './all-checks.ts';
import { examine } from './examine.ts';
import type { DoctorDependencies } from './parts.ts';
import { findingLines, isWell } from './print.ts';

interface Options extends ExamineOptions {
  readonly output: Output;
}

const doctor = async (dependencies: DoctorDependencies, { output, ...options }: Options): Promise<void> => {
  const { shell } = dependencies;
  const findings = await examine(dependencies, options);
  const ok = isWell(findings);
  if (!ok) shell.fail();
  if (output === 'json') return shell.out(printableJson({ ok, checks: findings }, 2));
  for (const line of findingLines(shell, findings)) shell.out(line);
};

/** `doctor`: looks whether everything that the system needs is there. */
export const doctorCommand = (dependencies: DoctorDependencies): Command =>
  new Command('doctor')
    .description('Look whether bus, store, platform, sites and vendor are there and let us in')
    .option('--ping', 'ask the vendor too, which causes an event at a device of each integration')
    .option('--allow-single-copies', 'warn of topics with one copy of each record instead of failing')
    .addOption(outputOption())
    .addHelpText('after', `\nEnvironment, beside bus and store:\n${envHelp(actionsCliEnv)}`)
    .addHelpText('after', '\nExample:\n  $ ranger-relay doctor')
    .action((options: Options) => doctor(dependencies, options));
