import { lookup } from 'node:dns/promises';
import type { Resolve } from '@ranger-relay/http';
import { kvEnv, envHelp, parseEnv } from '@ranger-relay/runtime';
import { alignColumns, printable, printableJson, type Shell } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { actionsCliEnv } from '../actions/env.ts';
import { guardedClient } from '../actions/http.ts';
import { outputOption, type Output } from '../actions/options.ts';
import { doctorChecks } from './all-checks.ts';
import type { Finding } from './finding.ts';
import type { DoctorDependencies } from './parts.ts';
import { runChecks } from './run-checks.ts';

interface Options {
  readonly ping?: boolean;
  readonly output: Output;
}

const bySystem: Resolve = (hostname, family) => lookup(hostname, { all: true, family });

const signOf = ({ paint }: Shell, { status }: Finding): string => {
  if (status === 'ok') return paint.green('ok');
  if (status === 'failed') return paint.red('failed');
  return status === 'warning' ? paint.yellow('warning') : paint.dim('skipped');
};

const lineOf = (shell: Shell, finding: Finding): string[] => {
  const { name, detail, remedy } = finding;
  const text = remedy === undefined ? detail : `${detail.replace(/\.$/, '')}. ${remedy}`;
  return [signOf(shell, finding), printable(name), printable(text)];
};

const examine = async (dependencies: DoctorDependencies, { ping = false, output }: Options): Promise<void> => {
  const { shell, resolve = bySystem, catalogues } = dependencies;
  const env = parseEnv({ ...actionsCliEnv, ...kvEnv }, shell.env);
  const http = guardedClient(shell.clock, env.HTTP_ALLOWED_NETWORKS, 'doctor');
  try {
    const checks = doctorChecks({ ...dependencies, env, http, resolve, ping, known: catalogues(env) });
    const findings = await runChecks(checks, shell.clock, shell.interrupted());
    const isWell = findings.every(({ status }) => status !== 'failed');
    if (!isWell) shell.fail();
    if (output === 'json') return shell.out(printableJson({ ok: isWell, checks: findings }, 2));
    for (const line of alignColumns(
      findings.map((finding) => lineOf(shell, finding)),
      ['left', 'left', 'left'],
    ))
      shell.out(line);
  } finally {
    http.close();
  }
};

/** `doctor`: looks whether everything that the system needs is there. */
export const doctorCommand = (dependencies: DoctorDependencies): Command =>
  new Command('doctor')
    .description('Look whether bus, store, platform, sites and vendor are there and let us in')
    .option('--ping', 'ask the vendor too, which causes an event at a device of each integration')
    .addOption(outputOption())
    .addHelpText('after', `\nEnvironment, beside bus and store:\n${envHelp(actionsCliEnv)}`)
    .addHelpText('after', '\nExample:\n  $ ranger-relay doctor')
    .action((options: Options) => examine(dependencies, options));
