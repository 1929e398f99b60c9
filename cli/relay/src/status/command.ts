import { isRelayError } from '@ranger-relay/errors';
import { isConditionName } from '@ranger-relay/runtime';
import { Command, Option } from 'commander';
import { dismissCondition } from '@ranger-relay/service';
import { addressOption, printable, type Shell, usage } from '@ranger-relay/terminal';
import { killedOn, type RunningUp } from '../data-dir/index.ts';
import { resolveIntegration } from '../program/integrations.ts';
import { outputOption, print } from '../program/output.ts';
import { type StoreOpeners, withStores } from '../program/stores.ts';
import { fetchStatus, statusAddress, statusOfStores, statusOfUp } from './ask.ts';
import { statusLines } from './format.ts';
import type { Status } from './model.ts';
import { isOfStores } from './verdict.ts';

interface Options {
  readonly output: string;
  readonly dismiss?: string;
  readonly url?: string;
  readonly exitCode?: true;
}

/** Dependencies of the command. */
export interface StatusDependencies extends Pick<StoreOpeners, 'isRemote' | 'openStores' | 'openKv' | 'dataDir'> {
  readonly shell: Shell;
  /** The `up` of DATA_DIR. @throws RelayError `up_not_running` */
  readonly findUp: () => Promise<RunningUp>;
}

const statusFrom = (
  source: StatusDependencies,
  { url, up }: { readonly url: string | undefined; readonly up: RunningUp | undefined },
): Promise<Status> => {
  if (url !== undefined) return fetchStatus(statusAddress(url));
  return up ? statusOfUp(up) : statusOfStores(source, source.shell.clock);
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
const dismiss = async ({ shell, openStores }: StatusDependencies, status: Status, wanted: string): Promise<void> => {
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

/** That the `up` of this machine was killed, while the stores still hold what it said last; undefined otherwise. */
const killedUp = async ({ dataDir }: StatusDependencies, { services }: Status): Promise<string | undefined> => {
  const killed = services.some(({ name }) => name === 'up') ? await killedOn(dataDir()) : undefined;
  return (
    killed &&
    `The \`up\` of DATA_DIR ${dataDir()} (pid ${killed.pid}) has ended: it receives nothing. This is what was said last.`
  );
};

/** `status`: what was sent and what waits, read from a running `up` or computed on a cluster. */
export const statusCommand = (source: StatusDependencies): Command =>
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
      const { shell } = source;
      const isRemote = url === undefined && source.isRemote();
      const up = url === undefined && !isRemote ? await source.findUp() : undefined;
      const status = await statusFrom(source, { url, up });
      if (wanted !== undefined) return dismiss(source, status, wanted);
      const killed = isRemote ? await killedUp(source, status) : undefined;
      if (killed !== undefined) shell.err(printable(killed));
      if (exitCode && (killed !== undefined || status.verdict.level !== 'ok')) shell.fail();
      const owner = ownerOf(status, up, url);
      print(shell, output, status, () => [
        ...statusLines(status, shell.clock.now(), shell.paint),
        ...(owner === undefined ? [] : ['', printable(owner)]),
      ]);
    });
