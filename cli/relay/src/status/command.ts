import { kinds, parseEnv } from '@ranger-relay/runtime';
import { Command, Option } from 'commander';
import { addressOption } from '../program/options.ts';
import { printableJson } from '../program/printable.ts';
import type { Shell } from '../program/shell.ts';
import { fetchStatus } from './fetch.ts';
import { statusLines } from './format.ts';

const statusEnv = {
  STATUS_PORT: { kind: kinds.port(), default: '8080', about: 'Port of the status page of a running `up`' },
} as const;

/** Address of the status; a given base address without a path gets the usual one. */
export const statusAddress = (given: string | undefined, env: NodeJS.ProcessEnv): string => {
  if (given === undefined) return `http://127.0.0.1:${parseEnv(statusEnv, env).STATUS_PORT}/status.json`;
  const url = new URL(given);
  if (url.pathname === '/') url.pathname = '/status.json';
  return url.href;
};

interface Options {
  readonly output: string;
  readonly url?: string;
}

/** `status`: what a running `up` says of itself. */
export const statusCommand = (shell: Shell): Command =>
  new Command('status')
    .description('Print what a running `up` has sent and what waits')
    .addOption(new Option('--output <form>', 'what is printed').choices(['table', 'json']).default('table'))
    .option('--url <address>', 'of the status (default: this machine, STATUS_PORT)', addressOption)
    .addHelpText('after', '\nExample:\n  $ ranger-relay status --output json')
    .action(async ({ output, url }: Options) => {
      const { status, unassigned } = await fetchStatus(statusAddress(url, shell.env));
      if (output === 'json') return shell.out(printableJson(status));
      for (const line of statusLines(status, unassigned, shell.clock.now(), shell.paint)) shell.out(line);
    });
