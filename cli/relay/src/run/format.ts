import { printable, printableJson, type Shell } from '@ranger-relay/terminal';
import { remedyOf } from '../actions/remedies.ts';
import type { Output } from '../actions/options.ts';
import type { Ran } from './execute.ts';

const tellFailure = (
  shell: Shell,
  { http_status: status, error, detail }: Extract<Ran, { outcome: 'failed' }>,
): void => {
  shell.err(printable(`The action failed (HTTP ${status}): ${error}`));
  const { request_url: url, request_verb: verb, server_response_status: answer } = detail as Record<string, unknown>;
  if (typeof url === 'string')
    shell.err(
      printable(`It asked ${String(verb)} ${url}${answer === undefined ? '' : `, which answered ${String(answer)}`}.`),
    );
  shell.err('Check: `ranger-relay activity` and the log of the service tell more.');
};

/** Prints what became of a run; one that did not complete ends the command with 1. */
export const tellRun = (shell: Shell, ran: Ran, output: Output): void => {
  if (ran.outcome !== 'complete') shell.fail();
  if (output === 'json') return shell.out(printableJson(ran, 2));
  if (ran.outcome === 'complete') return shell.out(printableJson(ran.result, 2));
  if (ran.outcome === 'failed') return tellFailure(shell, ran);
  shell.err(printable(`It was not run: ${ran.reason}. ${remedyOf(ran.reason)}`));
};
