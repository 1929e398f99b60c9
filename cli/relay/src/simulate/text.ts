import { jsonOf } from '@ranger-relay/errors';
import { envHelp, kinds, parseEnv } from '@ranger-relay/runtime';
import { addressOption, printable, type Shell, usage } from '@ranger-relay/terminal';
import { Command, InvalidArgumentError } from 'commander';
import { z } from 'zod';
import { actionsCliEnv } from '../actions/env.ts';
import { postToService, withoutSlash } from '../actions/http.ts';
import { callerToken, integrationArgument } from '../actions/options.ts';
import { pusherAddress } from '../actions/services.ts';
import { readMarker } from '../data-dir/index.ts';
import { trialDevice } from './trial-device.ts';

const sampled = '01';

/**
 * The push by which the platform hands over a text of a user of the site to a device (device contract, section 7). Each is a new delivery with
 * its own trace.
 */
const textPush = (
  { text, to, sender, integration }: Readonly<Record<'text' | 'to' | 'sender' | 'integration', string>>,
  { clock, random }: Pick<Shell, 'clock' | 'random'>,
) => {
  const at = new Date(clock.now()).toISOString();
  const deliveryId = random.uuid();
  const hex = (digits: number): string => random.uuid().replaceAll('-', '').slice(0, digits);
  const data = {
    event_id: deliveryId,
    timestamp: at,
    schema_version: 'v1',
    event_type: 'MessageTransformedText',
    payload: { Message: text, Recipients: [to], Sender: sender, Timestamp: at },
  };
  const attributes = {
    destination_id: integration,
    delivery_id: deliveryId,
    stream_type: 'txt',
    tracing_context: JSON.stringify({ traceparent: `00-${hex(32)}-${hex(16)}-${sampled}` }),
  };
  const message = {
    data: Buffer.from(JSON.stringify(data)).toString('base64'),
    attributes,
    messageId: random.uuid(),
    publishTime: at,
  };
  return { deliveryId, body: { message, subscription: 'simulated', deliveryAttempt: 1 } };
};

/** Outcome of a pushed text. */
type Pushed =
  | { readonly kind: 'accepted' }
  /** Accepted and not sent: permanently, or held for a person. */
  | { readonly kind: 'given_up'; readonly reason: string }
  /** The platform would redeliver it. */
  | { readonly kind: 'again'; readonly status: number; readonly reason: string };

const service = 'message-pusher';
/** Longer than the longest run. */
const totalMs = 600_000;

const bodySchema = z.looseObject({
  accepted: z.array(z.unknown()).catch([]),
  failed: z.array(z.looseObject({ error: z.string() })).catch([]),
  reason: z.string().optional().catch(undefined),
  detail: z.looseObject({ error: z.string() }).optional().catch(undefined),
});

const readAnswer = (status: number, json: unknown): Pushed => {
  const { accepted, failed, reason, detail } = bodySchema.catch({ accepted: [], failed: [] }).parse(json);
  const why = failed[0]?.error ?? detail?.error ?? reason;
  if (status !== 200) return { kind: 'again', status, reason: why ?? 'it gave no reason' };
  return accepted.length > 0 ? { kind: 'accepted' } : { kind: 'given_up', reason: why ?? 'no service handles it' };
};

interface Options {
  readonly to: string;
  readonly sender: string;
  readonly integration?: string;
  readonly url?: string;
  readonly token?: string;
}

const { DATA_DIR, PUSHER_URL, PUSHER_PORT, AUTH_TOKEN, KAFKA_BROKERS } = actionsCliEnv;
const textEnv = { DATA_DIR, PUSHER_URL, PUSHER_PORT, AUTH_TOKEN, KAFKA_BROKERS } as const;

const deviceOption = (text: string): string => {
  if (/^\d{1,20}$/.test(text)) return text;
  throw new InvalidArgumentError('Expected the number of a device.');
};

const textArgument = (text: string): string => {
  if (kinds.text(1_000).schema.safeParse(text).success) return text;
  throw new InvalidArgumentError('Expected a text of 1 to 1,000 characters.');
};

const tell = (shell: Shell, pushed: Pushed, to: string, deliveryId: string, address: string): void => {
  if (pushed.kind === 'accepted') {
    shell.out(printable(`The vendor accepted the text for ${to} (delivery ${deliveryId}, by ${address}).`));
    shell.out('`ranger-relay activity` shows "Message Delivered".');
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
  throw usage(problem);
};

const send = async (shell: Shell, text: string, options: Options): Promise<void> => {
  const env = parseEnv(textEnv, shell.env);
  const { to, sender, url, token } = options;
  const integration = await integrationOf(options.integration, env.DATA_DIR);
  const push = textPush({ text, to, sender, integration }, shell);
  const address = withoutSlash(url ?? (await pusherAddress(env)));
  const bearer = token ?? (await callerToken(env));
  const call = {
    path: '/push-data',
    json: push.body,
    token: bearer,
    totalMs,
    interrupted: 'the text may have been sent',
  };
  const answer = await postToService(shell, { service, url: address }, call);
  tell(shell, readAnswer(answer.status, jsonOf(answer.body)), to, push.deliveryId, address);
};

/** `simulate text`: sends a text to a device, as the platform hands one over. */
export const textCommand = (shell: Shell): Command =>
  new Command('text')
    .description('Send a text to a device, as the platform hands one over')
    .argument('<text>', 'what the device is to show', textArgument)
    .option('--to <device>', 'number of the device', deviceOption, trialDevice)
    .option('--sender <address>', 'e-mail address or number that it comes from', 'ops@site.example')
    .option('--integration <id>', 'of the device (default: the simulated one of `up`)', integrationArgument)
    .option(
      '--url <address>',
      'of the message pusher (default: PUSHER_URL, else that of the `up` of DATA_DIR)',
      addressOption,
    )
    .option('--token <token>', 'bearer token (default: AUTH_TOKEN, else that of `up`)')
    .addHelpText(
      'after',
      `\nEnvironment:\n${envHelp(textEnv)}\n\nExample:\n  $ ranger-relay simulate text 'Return to camp'`,
    )
    // The command above has options of these names too, and may be the one that takes them.
    .action((text: string, _: Options, command: Command) => send(shell, text, command.optsWithGlobals<Options>()));
