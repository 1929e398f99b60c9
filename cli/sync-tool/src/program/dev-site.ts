import { Command } from 'commander';
import { RelayError } from '@ranger-relay/errors';
import { startSite } from '@ranger-relay/simulators';
import { wholeOption, type Shell } from '@ranger-relay/terminal';

interface Flags {
  readonly port: number;
  readonly state?: string;
  readonly latency?: number;
}

/** `dev-site`: runs a simulated site for trying out the tool, until it is interrupted. */
export const devSiteCommand = (shell: Shell): Command =>
  new Command('dev-site')
    .option('--port <n>', 'port on 127.0.0.1; a free one when 0', wholeOption(0, 65_535), 8090)
    .option('--state <file>', 'keep what it holds in a file; in memory when left out')
    .option('--latency <ms>', 'time that every request takes at least', wholeOption(0, 60_000))
    .addHelpText('after', '\nExample:\n  $ sync-tool dev-site --port 8090')
    .action(async ({ port, state, latency }: Flags) => {
      const stop = shell.interrupted();
      const starting = startSite({
        host: '127.0.0.1',
        port,
        clock: shell.clock,
        random: shell.random,
        ...(state === undefined ? {} : { stateFile: state }),
        ...(latency === undefined ? {} : { latencyMs: latency }),
      });
      const site = await starting.catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'EADDRINUSE') throw error;
        throw new RelayError('address_in_use', { details: { address: `127.0.0.1:${port}` } });
      });
      shell.out(`The site listens on ${site.url}; look at it there.`);
      shell.out(`Try: sync-tool doctor --site-endpoint ${site.url} --site-token ${site.token}`);
      await new Promise<void>((resolve) => {
        if (stop.aborted) resolve();
        stop.addEventListener('abort', () => resolve(), { once: true });
      });
      await site.close();
    });
