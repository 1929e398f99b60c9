import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { KeyValue } from '@ranger-relay/kv';
import { createConditions, createLogger, createMetrics, isConditionName, metricList } from '@ranger-relay/runtime';
import { Command, Option } from 'commander';
import { dismissCondition } from '@ranger-relay/service';
import { addressOption, printable, type Shell, usage } from '@ranger-relay/terminal';
import type { RunningUp } from '../data-dir/index.ts';
import { resolveIntegration } from '../program/integrations.ts';
import { outputOption, print } from '../program/output.ts';
import { withStores, type OpenStores } from '../program/stores.ts';
import { collectStatus, type ReadableBus } from './collect.ts';
import { fetchStatus } from './fetch.ts';
import { statusLines } from './format.ts';
import type { Status } from './model.ts';
import { isOfStores } from './verdict.ts';

/** Address of the status; a base address without a path gets the usual one. */
export const statusAddress = (given: string): string => {
  const url = new URL(given);
  if (url.pathname === '/') url.pathname = '/status.json';
  return url.href;
};

/** The status of a running `up`. @throws RelayError `not_running`, `status_unreadable` also when another process answers */
export const statusOfUp = async ({ id, addresses }: RunningUp): ReturnType<typeof fetchStatus> => {
  const address = statusAddress(addresses.status);
  const found = await fetchStatus(address);
  if (found.up?.id === id) return found;
  throw new RelayError('status_unreadable', { details: { address, problem: 'is that of another process' } });
};

interface Options {
  readonly output: string;
  readonly dismiss?: string;
  readonly url?: string;
  readonly exitCode?: true;
}

/** Source of the status without a running `up`. */
export interface StatusSource {
  /** The services run separately on the bus of a cluster. */
  readonly isRemote: () => boolean;
  readonly openStores: OpenStores;
  readonly openKv: () => Promise<KeyValue>;
  /** The `up` of DATA_DIR. @throws RelayError `up_not_running` */
  readonly findUp: () => Promise<RunningUp>;
}

/** A bus that does not answer. */
const unreachable = (cause: RelayError): ReadableBus => {
  const fail = async (): Promise<never> => {
    throw cause;
  };
  return {
    read: () => ({ [Symbol.asyncIterator]: () => ({ next: fail }) }),
    pending: fail,
    topicProblems: () => [],
  };
};

/** Computes it from bus and store, where the services of a cluster share their conditions, also while the bus is away: they have no common page. */
export const statusOfStores = async (
  { openStores, openKv }: Pick<StatusSource, 'openStores' | 'openKv'>,
  clock: Shell['clock'],
): Promise<Status> => {
  let found: Status | undefined;
  const collect = async (bus: ReadableBus, kv: KeyValue): Promise<void> => {
    const log = createLogger({ service: 'status', level: 'silent' });
    const conditions = createConditions({ clock, log, metrics: createMetrics(metricList) });
    found = (await collectStatus({ bus, kv, services: () => [], conditions, clock })()).status;
  };
  try {
    await withStores(openStores, ({ bus, kv }) => collect(bus, kv));
  } catch (error) {
    if (!isRelayError(error, 'bus_unavailable')) throw error;
    const kv = await openKv();
    await collect(unreachable(error), kv).finally(kv.close);
  }
  return found as Status;
};

const statusFrom = (
  source: StatusSource,
  clock: Shell['clock'],
  { url, up }: { readonly url: string | undefined; readonly up: RunningUp | undefined },
): Promise<Status> => {
  if (url !== undefined) return fetchStatus(statusAddress(url));
  return up ? statusOfUp(up) : statusOfStores(source, clock);
};

/** A subject with its integration by id, where it is given by name or by the beginning of its id. */
const wholeSubject = (given: string, { integrations }: Status): string => {
  const [head = '', ...below] = given.split('/');
  try {
    return [resolveIntegration(head, integrations), ...below].join('/');
  } catch (error) {
    if (isRelayError(error, 'usage')) return given;
    throw error;
  }
};

/**
 * Dismisses a condition; its subject is named where it holds for several, and one names all below it: a device each SOS of it.
 * @throws RelayError `usage` when it does not hold, or is a view of what bus and store hold
 */
const dismiss = async (shell: Shell, { openStores }: StatusSource, status: Status, wanted: string): Promise<void> => {
  const [name = '', ...rest] = wanted.split('=');
  const subject = rest.length === 0 ? undefined : wholeSubject(rest.join('='), status);
  const isMeant = (of: string): boolean => subject === undefined || of === subject || of.startsWith(`${subject}/`);
  const found = status.verdict.problems.filter(({ condition, subject: of }) => condition === name && isMeant(of));
  const [first, ...others] = found;
  if (!first) throw usage(`no condition "${wanted}" holds now`);
  if (isOfStores(name))
    throw usage(`"${name}" says what bus and store hold, and ends when that changes. ${first.remedy}`);
  if (others.length > 0 && subject === undefined) {
    const names = found.map(({ condition, subject: of }) => `${condition}=${of}`).join(', ');
    throw usage(`several conditions "${name}" hold, dismiss them one by one: ${names}`);
  }
  await withStores(openStores, async ({ kv }) => {
    for (const { condition, subject: of, text } of found) {
      if (isConditionName(condition)) await dismissCondition(kv, { name: condition, subject: of }, shell.clock.now());
      shell.out(`dismissed  ${printable(text)}`);
    }
  });
  shell.out('A condition is shown again as soon as its fault is seen again.');
};

/** Whose state it is; undefined on a cluster. */
const ownerOf = ({ up: answered }: Status, up: RunningUp | undefined, url: string | undefined): string | undefined => {
  if (up) return `This is the \`up\` of DATA_DIR ${up.dataDir} (pid ${up.pid}).`;
  if (url === undefined) return undefined;
  return answered
    ? `This is the \`up\` of DATA_DIR ${answered.data_dir} (id ${answered.id}), which answers at ${statusAddress(url)}.`
    : `What answers at ${statusAddress(url)} does not say whose state this is.`;
};

/** `status`: what was sent and what waits, read from a running `up` or computed on a cluster. */
export const statusCommand = (shell: Shell, source: StatusSource): Command =>
  new Command('status')
    .addOption(outputOption('table'))
    .option('--url <address>', 'address of the status (default: that of the `up` of DATA_DIR)', addressOption)
    .option('--exit-code', 'exit with 1 unless everything works')
    .addOption(
      new Option(
        '--dismiss <condition>',
        'end a condition: its name, or name=subject as in the JSON (an integration also by name or beginning of its id, a device for all below it)',
      ).conflicts('url'),
    )
    .addHelpText('after', '\nExample:\n  $ ranger-relay status --output json')
    .action(async ({ output, url, exitCode, dismiss: wanted }: Options) => {
      const isRemote = url === undefined && source.isRemote();
      const up = url === undefined && !isRemote ? await source.findUp() : undefined;
      const status = await statusFrom(source, shell.clock, { url, up });
      if (wanted !== undefined) return dismiss(shell, source, status, wanted);
      if (exitCode && status.verdict.level !== 'ok') shell.fail();
      const owner = ownerOf(status, up, url);
      print(shell, output, status, () => [
        ...statusLines(status, shell.clock.now(), shell.paint),
        ...(owner === undefined ? [] : ['', printable(owner)]),
      ]);
    });
