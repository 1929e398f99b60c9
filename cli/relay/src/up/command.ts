import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { endSignal, envHelp } from '@ranger-relay/runtime';
import type { Shell } from '@ranger-relay/terminal';
import { Command } from 'commander';
import { readMarker, refuseOtherKind } from '../data-dir/index.ts';
import { parseUpConfig, platformKind, type UpConfig, upEnv } from './config.ts';
import { runUp } from './run.ts';

/**
 * Makes the collector run earlier: by default the heap may grow several times over on a machine with much memory, while one park's small
 * machine has little. Costs some CPU under full load; measured by the bench.
 */
export const keepHeapSmall = (): void => setFlagsFromString('--heap-growing-percent=15');

interface UpOptions {
  readonly acceptEmptyBus?: boolean;
  readonly salvageBus?: boolean;
  readonly check?: boolean;
}

/** Prints the configuration that a start would use. @throws RelayError `data_dir_unusable` when the directory belongs to another platform */
const check = async (shell: Shell, config: UpConfig): Promise<void> => {
  const dataDir = resolve(config.DATA_DIR);
  const marker = await readMarker(dataDir);
  if (marker) refuseOtherKind(dataDir, marker, platformKind(config));
  shell.out(`platform  ${config.PLATFORM_API_BASE_URL ?? 'simulated'}`);
  shell.out(`data      ${dataDir}${marker ? '' : ' (new)'}`);
  shell.out('The configuration is valid. Nothing was started.');
};

/** `ranger-relay up`: the whole system in one process on one machine. */
export const upCommand = (shell: Shell, host: NodeJS.Process): Command =>
  new Command('up')
    .description('Runs the whole system in one process; with simulators while no platform is configured.')
    .option('--accept-empty-bus', 'start with an empty bus when its file is lost')
    .option('--salvage-bus', 'keep the readable records of a damaged bus file')
    .option('--check', 'validate the configuration and start nothing')
    .addHelpText('after', `\nEnvironment:\n${envHelp(upEnv)}\n\nExample:\n  $ ranger-relay up`)
    .action(async (options: UpOptions) => {
      const config = parseUpConfig(shell.env);
      if (options.check) return check(shell, config);
      keepHeapSmall();
      const ended = endSignal(host);
      const allowed = { acceptEmptyBus: options.acceptEmptyBus ?? false, salvageBus: options.salvageBus ?? false };
      const up = await runUp(shell, config, allowed, host);
      const { code, why } = await Promise.race([ended, up.failed]);
      shell.err(code === 0 ? `Stopping (${why}).` : `Stopping: ${why}.`);
      await up.stop();
      shell.fail(code);
    });
