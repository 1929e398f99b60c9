import { lookup } from 'node:dns/promises';
import type { Resolve } from '@ranger-relay/http';
import { kvEnv, parseEnv } from '@ranger-relay/runtime';
import { actionsCliEnv } from '../actions/env.ts';
import { guardedClient } from '../actions/http.ts';
import { doctorChecks, type ExamineOptions } from './all-checks.ts';
import type { Finding } from './finding.ts';
import type { DoctorDependencies } from './parts.ts';
import { runChecks } from './run-checks.ts';

const bySystem: Resolve = (hostname, family) => lookup(hostname, { all: true, family });

/** Asks everything that `doctor` asks. @throws RelayError `config_invalid` */
export const examine = async (
  dependencies: DoctorDependencies,
  options: ExamineOptions = {},
): Promise<readonly Finding[]> => {
  const { shell, resolve = bySystem, catalogues } = dependencies;
  const env = parseEnv({ ...actionsCliEnv, ...kvEnv }, shell.env);
  const http = guardedClient(shell.clock, env.HTTP_ALLOWED_NETWORKS, 'doctor');
  try {
    const checks = doctorChecks({ ...dependencies, ...options, env, http, resolve, known: catalogues(env) });
    return await runChecks(checks, shell.clock, shell.interrupted());
  } finally {
    http.close();
  }
};
