import { envHelp } from '@ranger-relay/runtime';
import { endSignal } from '@ranger-relay/service';
import { Command } from 'commander';
import type { Shell } from '@ranger-relay/terminal';
import { parseUpConfig, upEnv } from './config.ts';
import { runUp } from './run.ts';
import { keepHeapSmall } from './small-heap.ts';

interface UpOptions {
  readonly acceptEmptyBus?: boolean;
  readonly salvageBus?: boolean;
}

/** `ranger-relay up`: the whole system in one process on one machine. */
export const upCommand = (shell: Shell, host: NodeJS.Process): Command =>
  new Command('up')
    .description('Runs the whole system in one process; with simulators while no platform is configured.')
    .option('--accept-empty-bus', 'go on without a bus file that was lost')
    .option('--salvage-bus', 'keep what can be read of a damaged bus file')
    .addHelpText('after', `\nEnvironment:\n${envHelp(upEnv)}\n\nExample:\n  $ ranger-relay up`)
    .action(async (options: UpOptions) => {
      keepHeapSmall();
      const config = parseUpConfig(shell.env);
      const ended = endSignal(host);
      const allowed = { acceptEmptyBus: options.acceptEmptyBus ?? false, salvageBus: options.salvageBus ?? false };
      const up = await runUp(shell, config, allowed, host);
      const { code, why } = await Promise.race([ended, up.failed]);
      shell.err(code === 0 ? `Stopping (${why}).` : `Stopping: ${why}.`);
      await up.stop();
      shell.fail(code);
    });
