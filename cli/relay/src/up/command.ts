import { setFlagsFromString } from 'node:v8';
import { endSignal, envHelp } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';
import { ingesterWarnings } from '@ranger-relay/webhook-ingester';
import { Command } from 'commander';
import type { Counterparts } from '../doctor/command.ts';
import { upEnv } from './config.ts';
import { checkUp, type UpOptions } from './prepare.ts';
import { runUp } from './run.ts';

/**
 * Makes the collector run earlier: by default the heap may grow several times over on a machine with much memory, while one park's small
 * machine has little. Costs some CPU under full load; measured by the bench.
 */
export const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=15');

interface Options extends Partial<UpOptions> {
  readonly check?: true;
  readonly connect?: true;
}

/** Dependencies of the command. */
export interface UpDependencies {
  readonly shell: Shell;
  readonly process: NodeJS.Process;
  /** Asks what a start would call, and prints the answers; resolves with false when something does not work. */
  readonly counterparts: Counterparts;
}

/** Does the first half of a start, and tells what a start would use. @throws RelayError with a line for everything that is wrong */
const check = async ({ shell, counterparts }: UpDependencies, allowed: UpOptions, connect: boolean): Promise<void> => {
  const { config, dataDir, isNew, pid } = await checkUp(shell, allowed);
  shell.out(`platform  ${config.PLATFORM_API_BASE_URL ?? 'simulated'}`);
  shell.out(
    `data      ${dataDir}${isNew ? ' (new)' : ''}${pid === undefined ? '' : ` (in use by the process ${pid})`}`,
  );
  for (const warning of ingesterWarnings(config)) shell.err(`Warning: ${warning}`);
  if (connect && !(await counterparts())) return shell.fail();
  shell.out('The configuration is valid. Nothing was started.');
};

/** `ranger-relay up`: the whole system in one process on one machine. */
export const upCommand = (dependencies: UpDependencies): Command =>
  new Command('up')
    .option('--accept-empty-bus', 'start with an empty bus when its file is lost')
    .option('--salvage-bus', 'keep the readable records of a damaged bus file')
    .option('--check', 'do the first half of a start: variables, files, directory and ports; start nothing')
    .option('--connect', 'with --check: ask the platform, bus, store, sites and vendor too')
    .addHelpText('after', `\nEnvironment:\n${envHelp(upEnv)}\n\nExample:\n  $ ranger-relay up`)
    .action(async ({ acceptEmptyBus = false, salvageBus = false, ...options }: Options) => {
      const { shell, process: host } = dependencies;
      const allowed = { acceptEmptyBus, salvageBus };
      if (options.check || options.connect) return check(dependencies, allowed, options.connect ?? false);
      keepHeapSmall();
      const ended = endSignal(host);
      const up = await runUp(shell, allowed, host);
      const { code, why } = await Promise.race([ended, up.failed]);
      shell.err(code === 0 ? `Stopping (${why}).` : `Stopping: ${why}.`);
      await up.stop();
      shell.fail(code);
    });
