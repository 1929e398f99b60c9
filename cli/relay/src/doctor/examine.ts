import { lookup } from 'node:dns/promises';
import type { TopicAdmin } from '@ranger-relay/bus/kafka';
import type { Resolve } from '@ranger-relay/http';
import { type Clock, kvEnv, parseEnv, within } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';
import { cataloguesOf } from '../actions/catalogues.ts';
import { type ActionsCliEnv, actionsCliEnv } from '../actions/env.ts';
import { guardedClient } from '../actions/platform-api.ts';
import type { Catalogues } from '../actions/services.ts';
import { doctorChecks, type ExamineOptions } from './all-checks.ts';
import { type StoreOpeners, withOpen } from '../program/stores.ts';
import type { RunningProcess } from '../status/ask.ts';
import { type Check, failed, failureOf, type Finding } from './finding.ts';

/** Dependencies of the command. */
export interface DoctorDependencies extends Omit<StoreOpeners, 'sender' | 'activityTopic'> {
  readonly shell: Shell;
  /** What runs; null when nothing does. */
  readonly findRunning?: () => Promise<RunningProcess | null>;
  readonly openTopicAdmin?: () => TopicAdmin;
  readonly catalogues?: (env: ActionsCliEnv) => Catalogues;
  /** Finds addresses of names; the system's resolver when left out. */
  readonly resolve?: Resolve;
}

/** Time limit of each check, ms; checks run concurrently, so that the command ends within 30 s. */
export const checkMs = 20_000;

const late = (name: string): Finding =>
  failed(name, `no answer within ${checkMs / 1_000} s`, 'Check the network to that service, and its load.');

const askOne = ({ name, ask }: Check, clock: Clock, interrupted: AbortSignal): Promise<readonly Finding[]> => {
  const over = new AbortController();
  const asking = ask(AbortSignal.any([over.signal, interrupted])).catch((error: unknown) => [failureOf(name, error)]);
  return within({ clock, ms: checkMs }, asking, () => {
    over.abort();
    return [late(name)];
  });
};

/** Runs all checks concurrently and returns their findings in order. Never rejects. */
export const runChecks = async (
  checks: readonly Check[],
  clock: Clock,
  interrupted: AbortSignal,
): Promise<readonly Finding[]> => (await Promise.all(checks.map((check) => askOne(check, clock, interrupted)))).flat();

const bySystem: Resolve = (hostname, family) => lookup(hostname, { all: true, family });

/** Runs every check of `doctor`. @throws RelayError `config_invalid` */
export const examine = async (
  dependencies: DoctorDependencies,
  options: ExamineOptions = {},
): Promise<readonly Finding[]> => {
  const { shell, resolve = bySystem, catalogues = cataloguesOf } = dependencies;
  const env = parseEnv({ ...actionsCliEnv, ...kvEnv }, shell.env);
  const open = () => guardedClient(shell.clock, env.HTTP_ALLOWED_NETWORKS, 'doctor');
  return withOpen(open, (http) => {
    const checks = doctorChecks({ ...dependencies, ...options, env, http, resolve, known: catalogues(env) });
    return runChecks(checks, shell.clock, shell.interrupted());
  });
};
