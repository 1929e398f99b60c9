import type { HttpClient, Resolve } from '@ranger-relay/http';
import type { Env, kvEnv } from '@ranger-relay/runtime';
import type { ActionsCliEnv } from '../actions/env.ts';
import { callerToken } from '../actions/options.ts';
import { emptySpace, openLook } from '../actions/look.ts';
import { noPlatform, platformAccess } from '../actions/platform-api.ts';
import { type Catalogues, servicesOf } from '../actions/services.ts';
import { silentLog } from '../actions/workbench.ts';
import { clockCheck } from './checks/clock.ts';
import { networkCheck, siteAccount, vendorAccount } from './checks/network.ts';
import { accountsCheck, configEventsCheck, tokenCheck, typeCheck } from './checks/platform.ts';
import { busFileCheck, storeCheck, topicsCheck, watermarksCheck } from './checks/stores.ts';
import { platformFacts } from './facts.ts';
import { type Check, failed, type Finding, ok, skipped, warning } from './finding.ts';
import type { DoctorDependencies } from './examine.ts';
import { findRunning, type RunningProcess } from '../status/ask.ts';
import { listedProblems } from '../status/verdict.ts';
import { topicAdminOf } from '../topics/topic-admin.ts';
import { configuredPlaces, type Place } from './places.ts';

/** Options of `doctor`. */
export interface ExamineOptions {
  /** Calls the vendor too. */
  readonly ping?: boolean;
  /** Warns of topics with one copy of each record instead of failing. */
  readonly allowSingleCopies?: boolean;
  /** Nothing runs yet: asks only what a start would call, on other machines. */
  readonly stopped?: boolean;
}

/** Dependencies of the checks. */
export interface CheckDependencies extends Omit<DoctorDependencies, 'catalogues' | 'resolve'>, ExamineOptions {
  readonly env: ActionsCliEnv & Env<typeof kvEnv>;
  /** Applies the network rules. */
  readonly http: HttpClient;
  readonly resolve: Resolve;
  readonly known: Catalogues;
}

const judgedProcess = (name: string, { verdict, dataDir, isHung = false }: RunningProcess): Finding[] => {
  const of = dataDir === undefined ? '' : ` (DATA_DIR ${dataDir})`;
  if (verdict === null && isHung) {
    const remedy = 'It hangs: read its log, end it with `kill -9`, and start it again.';
    return [failed(name, `runs, and its status page does not answer${of}`, remedy)];
  }
  if (verdict === null)
    return [warning(name, `runs, and its status page cannot be reached from here${of}`, 'Run this beside `up`.')];
  if (verdict.level === 'ok') return [ok(name, `${verdict.text}${of}`)];
  return listedProblems(verdict.problems).map(({ level, text, remedy }) =>
    (level === 'critical' ? failed : warning)(name, text, remedy),
  );
};

/**
 * Whether `up` runs, and the conditions that it, or the services of a cluster, report.
 * @param find resolves with null when nothing runs on DATA_DIR
 */
export const runningCheck = (isRemote: boolean, find: () => Promise<RunningProcess | null>): Check => {
  const name = isRemote ? 'services' : 'up';
  return {
    name,
    async ask() {
      const running = await find();
      if (running) return judgedProcess(name, running);
      return [failed(name, 'nothing runs on DATA_DIR', 'Start it with `ranger-relay up`.')];
    },
  };
};

/** The file of a store on this machine is written all the time by the process that has it open. */
const storeChecks = (parts: CheckDependencies): Check[] => {
  const { env, shell, isRemote, openBus, openKv, allowSingleCopies = false, stopped = false } = parts;
  const openTopicAdmin = parts.openTopicAdmin ?? (() => topicAdminOf(shell));
  const isFile = env.KV_HOST === undefined && env.KV_SENTINELS === undefined;
  const bus = isRemote() ? topicsCheck(openTopicAdmin, allowSingleCopies) : busFileCheck(openBus, shell.clock);
  return [
    ...(stopped && !isRemote() ? [] : [bus]),
    ...(isFile ? [] : [storeCheck(openKv, `databases ${env.KV_STATE_DB} and ${env.KV_CONFIGS_DB}`, shell)]),
  ];
};

/** How long DATA_DIR has had a bus; undefined on a cluster, and where none was opened. */
const busAge = async ({ busSince, shell }: CheckDependencies): Promise<number | undefined> => {
  const since = await busSince();
  return since === null ? undefined : shell.clock.now() - Date.parse(since);
};

/** A check of what only the services with actions need, which `up` leaves off while nobody may call them. */
const unlessOff = (check: Check, { env, isRemote, shell }: CheckDependencies): Check => ({
  name: check.name,
  async ask(signal) {
    const isOff = !isRemote() && shell.env['AUTH_MODE'] !== 'oidc' && (await callerToken(env)) === undefined;
    if (!isOff) return check.ask(signal);
    return [skipped(check.name, 'the services with actions are off: AUTH_TOKEN is not set')];
  },
});

/** Every check in the order in which they are printed. @throws RelayError `config_invalid` */
export const doctorChecks = (parts: CheckDependencies): readonly Check[] => {
  const { env, http, shell, resolve, ping = false, known, stopped = false } = parts;
  const { clock, random } = shell;
  const running = parts.findRunning ?? (() => findRunning(parts, clock));
  const access = platformAccess(env, http, clock);
  const look = openLook({ api: access?.api ?? noPlatform, config: emptySpace, clock, random, log: silentLog() });
  const facts = platformFacts(access, look);
  let places: Promise<readonly Place[]> | undefined;
  const placesOnce = (): Promise<readonly Place[]> => (places ??= configuredPlaces(env, facts));
  const sites = siteAccount({ http, clock, clientId: env.SITE_CLIENT_ID });
  const ofRunning = [
    configEventsCheck(facts, { open: parts.openBus, age: () => busAge(parts) }, [
      env.PUSHER_TYPE_SLUG,
      env.RUNNER_TYPE_SLUG,
    ]),
    watermarksCheck(facts, parts.openKv, clock, env.RUNNER_TYPE_SLUG),
  ];
  return [
    ...(stopped ? [] : [runningCheck(parts.isRemote(), running)]),
    ...storeChecks(parts),
    tokenCheck(facts),
    ...servicesOf(env, known).map((service) => typeCheck(facts, service)),
    unlessOff(accountsCheck(facts, env.PUSHER_TYPE_SLUG, 'vendor account', vendorAccount(http, ping)), parts),
    unlessOff(accountsCheck(facts, env.RUNNER_TYPE_SLUG, 'site account', sites), parts),
    ...(stopped ? [] : ofRunning),
    clockCheck(http, clock, placesOnce),
    networkCheck(env.HTTP_ALLOWED_NETWORKS, resolve, placesOnce, shell.env),
  ];
};
