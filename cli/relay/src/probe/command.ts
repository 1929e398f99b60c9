import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import { parseEnv, pause, repeatAtRate, runWithin } from '@ranger-relay/runtime';
import { addressOption, durationOption, humanSpan, printable, type Shell } from '@ranger-relay/terminal';
import { Command, InvalidArgumentError, Option } from 'commander';
import { openClient } from '../actions/http.ts';
import { integrationArgument } from '../actions/options.ts';
import { addressHere } from '../actions/services.ts';
import { findingLines, isWell } from '../doctor/command.ts';
import { type DoctorDependencies, examine } from '../doctor/examine.ts';
import { failed, type Finding, ok } from '../doctor/finding.ts';
import { outputOption, print } from '../program/output.ts';
import { withOpen } from '../program/stores.ts';
import { storesHelp } from '../program/open-stores.ts';
import { createPoster } from '../simulate/post.ts';
import { callerOf } from './caller.ts';
import { followEvent } from './chain.ts';
import { nowhere, type Position, probeDevice, probeEvent } from './event.ts';
import { type Goal, goals, type ProbeEnv, probeEnv, type Sent, type StepDependencies } from './parts.ts';

/** `<latitude>,<longitude>` in degrees. @throws InvalidArgumentError */
export const positionOption = (text: string): Position => {
  const [, latitude, longitude] = /^(-?\d{1,2}(?:\.\d{1,9})?),(-?\d{1,3}(?:\.\d{1,9})?)$/.exec(text) ?? [];
  const position = { latitude: Number(latitude), longitude: Number(longitude) };
  if (Math.abs(position.latitude) <= 90 && Math.abs(position.longitude) <= 180) return position;
  throw new InvalidArgumentError('Expected two numbers of degrees, like -1.2861,36.8172.');
};

/** Address of the webhook; a base address without a path gets the usual one. */
export const webhookAddress = async (
  given: string | undefined,
  { PROBE_URL, INGESTER_PORT, ...env }: Pick<ProbeEnv, 'PROBE_URL' | 'INGESTER_PORT' | 'DATA_DIR' | 'KAFKA_BROKERS'>,
): Promise<string> => {
  const url = new URL(given ?? PROBE_URL ?? (await addressHere(env, 'ingester', INGESTER_PORT)));
  if (url.pathname === '/') url.pathname = '/webhooks';
  return url.href;
};

/** The address that a test event of an integration is posted to. */
export const addressFor = (url: string, integration: string): string => {
  const address = new URL(url);
  address.searchParams.set('integration_id', integration);
  return address.href;
};

const name = 'webhook ready';
const betweenMs = 1_000;
const totalMs = 5_000;

/** Asks the webhook whether it is ready until it is. */
export const askReady = async (
  http: Pick<HttpClient, 'request'>,
  { clock, signal, tell, url }: StepDependencies,
): Promise<Finding> => {
  const address = new URL('/readyz', url).href;
  let problem = 'it was not called';
  while (!signal.aborted) {
    try {
      const { status } = await http.request({ method: 'GET', url: address, totalMs, signal });
      if (status === 200) return ok(name, `${address} answers 200`);
      problem = `it answers ${status}`;
    } catch (error) {
      if (!isRelayError(error)) throw error;
      if (!signal.aborted) problem = error.message;
    }
    tell(`${address}: ${problem}`);
    await pause(clock, betweenMs, signal);
  }
  return failed(
    name,
    `${address}: ${problem}`,
    'Check whether the webhook ingester runs, and PROBE_URL; its log says what it waits for.',
  );
};

interface Options {
  readonly url?: string;
  readonly integration?: string;
  readonly until: Goal;
  readonly deadline: number;
  readonly position: Position;
  readonly doctor: boolean;
  readonly allowSingleCopies?: boolean;
  readonly output: string;
}

interface Asked {
  readonly findings: readonly Finding[];
  readonly sent?: Sent;
}

const tellEveryMs = 5_000;
const defaultDeadlineMs = 60_000;

/** Prints every five seconds what it waits for. */
const startTelling = ({ clock, err }: Shell) => {
  const began = clock.monotonic();
  let what = '';
  const stop = repeatAtRate({ clock, everyMs: tellEveryMs }, () => {
    if (what !== '') err(printable(`${humanSpan(Math.round((clock.monotonic() - began) / 1_000))}: ${what}`));
  });
  return { stop, tell: (now: string): void => void (what = now) };
};

const followFrom = async (
  { shell, openStores }: DoctorDependencies,
  parts: StepDependencies,
  options: Options,
  env: ProbeEnv,
  goal: Exclude<Goal, 'ready'>,
): Promise<Asked> => {
  const { integration, token } = await callerOf(env, options.integration);
  shell.err(printable(`Sending a test event of ${probeDevice} for ${integration} to ${parts.url}`));
  const sent = { ...probeEvent(integration, parts.clock.now(), options.position), integration };
  const target = { url: addressFor(parts.url, integration), token: token ?? '' };
  const open = () => createPoster({ ...target, connections: 1, clock: parts.clock });
  return withOpen(open, async ({ post }) => ({
    findings: await followEvent({ ...parts, post }, goal, sent, openStores),
    sent,
  }));
};

const readyFrom = (parts: StepDependencies): Promise<Asked> =>
  withOpen(
    () => openClient(parts.clock, 'webhook'),
    async (http) => ({ findings: [await askReady(http, parts)] }),
  );

const ask = async (dependencies: DoctorDependencies, options: Options, env: ProbeEnv): Promise<Asked> => {
  const { shell } = dependencies;
  const { clock, random } = shell;
  const { until, deadline } = options;
  const { tell, stop } = startTelling(shell);
  const url = await webhookAddress(options.url, env);
  try {
    return await runWithin({ clock, ms: deadline, signal: shell.interrupted(), what: 'the probe' }, (signal) => {
      const parts = { clock, random, signal, tell, url };
      return until === 'ready' ? readyFrom(parts) : followFrom(dependencies, parts, options, env, until);
    });
  } finally {
    stop();
  }
};

const probe = async (dependencies: DoctorDependencies, options: Options): Promise<void> => {
  const { shell } = dependencies;
  const env = parseEnv(probeEnv, shell.env);
  const examined = options.doctor ? await examine(dependencies, options) : [];
  const { findings, sent } = await ask(dependencies, options, env);
  if (shell.interrupted().aborted)
    throw new RelayError('interrupted', { details: { state: 'the test event may be on its way' } });
  const checks = [...examined, ...findings];
  // The event is the answer; what the doctor found is told beside it.
  const ok = isWell(findings);
  if (!ok) shell.fail();
  const event = sent && { integration: sent.integration, source: probeDevice, event_id: sent.eventId };
  print(shell, options.output, { ok, checks, ...(event ? { event } : {}) }, () => findingLines(shell, checks));
};

/** `probe`: sends a marked test event through the whole chain and waits for its acceptance. */
export const probeCommand = (dependencies: DoctorDependencies): Command =>
  new Command('probe')
    .option('--url <address>', 'of the webhook (default: PROBE_URL, else that of the `up` of DATA_DIR)', addressOption)
    .option('--integration <id>', 'integration of the event (default: PROBE_INTEGRATION)', integrationArgument)
    .addOption(new Option('--until <goal>', 'how far to follow the event').choices(goals).default('accepted'))
    .addOption(
      new Option('--deadline <span>', 'maximum time for the event')
        .argParser(durationOption)
        .default(defaultDeadlineMs, '1m'),
    )
    .addOption(
      new Option('--position <lat,lon>', 'position of the event').argParser(positionOption).default(nowhere, '0,0'),
    )
    .option('--no-doctor', 'skip the checks of `ranger-relay doctor`')
    .option('--allow-single-copies', 'warn of topics with one copy of each record instead of failing')
    .addOption(outputOption())
    .addHelpText('after', storesHelp(probeEnv))
    .addHelpText('after', '\nExample:\n  $ ranger-relay probe --no-doctor')
    .action((options: Options) => probe(dependencies, options));
