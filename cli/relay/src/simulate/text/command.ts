import { RelayError } from '@ranger-relay/errors';
import { envHelp, kinds, parseEnv } from '@ranger-relay/runtime';
import { addressOption, printable, type Shell } from '@ranger-relay/terminal';
import { Command, InvalidArgumentError } from 'commander';
import { actionsCliEnv } from '../../actions/env.ts';
import { openClient } from '../../actions/http.ts';
import { integrationArgument } from '../../actions/options.ts';
import { callerToken } from '../../actions/token.ts';
import { readMarker } from '../../data-dir/index.ts';
import { trialDevice } from '../trial-device.ts';
import { textPush } from './envelope.ts';
import { postPush, type Pushed } from './post.ts';

interface Options {
  readonly to: string;
  readonly sender: string;
  readonly integration?: string;
  readonly url?: string;
  readonly token?: string;
}

const { DATA_DIR, PUSHER_URL, PUSHER_PORT, AUTH_TOKEN } = actionsCliEnv;
const textEnv = {
  DATA_DIR,
  PUSHER_URL,
  PUSHER_PORT,
  AUTH_TOKEN,
} as const;

const deviceOption = (text: string): string => {
  if (/^\d{1,20}$/.test(text)) return text;
  throw new InvalidArgumentError('It takes the number of a device.');
};

const textArgument = (text: string): string => {
  if (kinds.text(1_000).schema.safeParse(text).success) return text;
  throw new InvalidArgumentError('It takes a text of 1 to 1,000 characters.');
};

const tell = (shell: Shell, pushed: Pushed, to: string, deliveryId: string): void => {
  if (pushed.kind === 'accepted') {
    shell.out(`The vendor took the text for ${to} (delivery ${deliveryId}).`);
    shell.out('`ranger-relay activity` tells "Message Delivered".');
    return;
  }
  shell.fail();
  if (pushed.kind === 'given_up') shell.err(printable(`The text was not sent: ${pushed.reason}`));
  else
    shell.err(
      printable(`Not yet sent (HTTP ${pushed.status}): ${pushed.reason}. The platform would deliver it again; repeat.`),
    );
};

const integrationOf = async (given: string | undefined, dataDir: string): Promise<string> => {
  const integration = given ?? (await readMarker(dataDir))?.instance_id;
  if (integration !== undefined) return integration;
  const problem = `--integration is needed: DATA_DIR ${dataDir} is not that of a simulated platform`;
  throw new RelayError('usage', { details: { problem } });
};

const send = async (shell: Shell, text: string, options: Options): Promise<void> => {
  const env = parseEnv(textEnv, shell.env);
  const { to, sender, url, token } = options;
  const integration = await integrationOf(options.integration, env.DATA_DIR);
  const push = textPush({ text, to, sender, integration }, shell.clock, shell.random);
  const address = (url ?? env.PUSHER_URL ?? `http://127.0.0.1:${env.PUSHER_PORT}`).replace(/\/+$/, '');
  const target = { address, token: token ?? (await callerToken(env)) };
  const http = openClient(shell.clock, 'service');
  try {
    const pushed = await postPush(target, push.body, http, shell.interrupted());
    tell(shell, pushed, to, push.deliveryId);
  } finally {
    http.close();
  }
};

/** `simulate text`: sends a text to a device, as the platform hands one over. */
export const textCommand = (shell: Shell): Command =>
  new Command('text')
    .description('Send a text to a device, as the platform hands one over')
    .argument('<text>', 'what the device is to show', textArgument)
    .option('--to <device>', 'number of the device', deviceOption, trialDevice)
    .option('--sender <address>', 'e-mail address or number that it comes from', 'ops@site.example')
    .option('--integration <id>', 'of the device (default: the simulated one of `up`)', integrationArgument)
    .option('--url <address>', 'of the message pusher (default: PUSHER_URL, else this machine)', addressOption)
    .option('--token <token>', 'bearer token (default: AUTH_TOKEN, else that of `up`)')
    .addHelpText(
      'after',
      `\nEnvironment:\n${envHelp(textEnv)}\n\nExample:\n  $ ranger-relay simulate text 'Return to camp'`,
    )
    // The command above has options of these names too, and may be the one that takes them.
    .action((text: string, _: Options, command: Command) => send(shell, text, command.optsWithGlobals<Options>()));
