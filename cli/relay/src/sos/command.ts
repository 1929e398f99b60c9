import type { KeyValue } from '@ranger-relay/kv';
import { momentOption, printableJson, type Shell } from '@ranger-relay/terminal';
import { Command, Option } from 'commander';
import { createLetterIndex } from '../dlq/letters.ts';
import type { OpenBus } from '../program/stores.ts';
import { createNames, named } from './names.ts';
import { sosLines } from './format.ts';
import { createSosReader, type SosList } from './read.ts';

/** Dependencies of the command. */
export interface SosDependencies {
  readonly shell: Shell;
  readonly openBus: OpenBus;
  /** The store, for the names of integrations; the list does without. */
  readonly openKv: () => Promise<KeyValue>;
}

interface Options {
  readonly open?: true;
  readonly since?: number;
  readonly output: string;
}

const readList = async ({ shell, openBus, openKv }: SosDependencies): Promise<SosList> => {
  const bus = await openBus();
  const kv = await openKv().catch(() => null);
  try {
    const list = await createSosReader(bus, createLetterIndex(bus, shell.clock), shell.clock).read();
    return kv === null ? list : { ...list, calls: await named(list.calls, createNames(kv.config, shell.clock)) };
  } finally {
    await kv?.close();
    await bus.close();
  }
};

/** `sos`: every SOS of the last 30 days with its steps, from the bus itself; beside a running `up` or without one. */
export const sosCommand = (dependencies: SosDependencies): Command =>
  new Command('sos')
    .description('Print every SOS of the last 30 days with its steps; exit with 1 while one is open')
    .option(
      '--open',
      'only those that the device has not cancelled, or that are not known to have reached the platform',
    )
    .option(
      '--since <time>',
      'only those received since then: a span like 30m or 2h, or an ISO time',
      momentOption(() => dependencies.shell.clock.now()),
    )
    .addOption(new Option('--output <form>', 'what is printed').choices(['table', 'json']).default('table'))
    .addHelpText(
      'after',
      '\nExit code: 0 when no SOS of the list is open, 1 while one is.\n\nExamples:\n  $ ranger-relay sos --open\n  $ ranger-relay sos --since 3h --output json',
    )
    .action(async ({ open, since = -Infinity, output }: Options) => {
      const { shell } = dependencies;
      const { calls: all, problem } = await readList(dependencies);
      const calls = all.filter((call) => (!open || call.open) && Date.parse(call.received_at) >= since);
      if (problem) shell.err(`The log of SOS cannot be read, so acceptances are not known: ${problem.message}`);
      if (calls.some((call) => call.open)) shell.fail();
      if (output === 'json') return shell.out(printableJson(calls, 2));
      for (const line of sosLines(calls, shell.clock.now(), shell.paint)) shell.out(line);
    });
