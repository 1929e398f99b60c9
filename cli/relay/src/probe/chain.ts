import { sourceEventKey, topics } from '@ranger-relay/contracts';
import { entryOf, isRelayError, jsonOf, toRelayError } from '@ranger-relay/errors';
import { deliveredOf, forwarderGroup } from '@ranger-relay/observation-forwarder';
import { pause, runWithin } from '@ranger-relay/runtime';
import { humanSpan, plural } from '@ranger-relay/terminal';
import { z } from 'zod';
import { failed, type Finding, ok } from '../doctor/finding.ts';
import { type OpenStores, withStores } from '../program/stores.ts';
import { deliver, type PostAnswer } from '../simulate/post.ts';
import { createCounting } from '../simulate/tally.ts';
import { probeDevice } from './event.ts';
import {
  type Goal,
  letterOfEvent,
  type ProbeDependencies,
  type Sent,
  type Sight,
  type StepDependencies,
} from './parts.ts';

const betweenMs = 250;
/** Time limit of the final checks after the deadline, ms. */
const lastLookMs = 10_000;

type Asked = { readonly marked: boolean; readonly storeProblem: string | null };

/** The forwarder records an event only after the platform's 200 or after its dead letter. */
const untilMarked = async ({ clock, signal }: StepDependencies, { state }: Sight, sent: Sent): Promise<Asked> => {
  const event = { integration_id: sent.integration, source: probeDevice, event_id: sent.eventId, sos: null };
  let storeProblem: string | null = null;
  while (!signal.aborted) {
    try {
      if ((await deliveredOf(state, event)) === 'done') return { marked: true, storeProblem: null };
      storeProblem = null;
    } catch (error) {
      if (!isRelayError(error, 'kv_unavailable')) throw error;
      storeProblem = error.message;
    }
    await pause(clock, betweenMs, signal);
  }
  return { marked: false, storeProblem };
};

const platform = 'platform';

/** Keys of events that wait for the forwarder. */
const waitingAt = async ({ bus }: Sight, topic: string): Promise<readonly string[]> =>
  (await bus.pending(topic, forwarderGroup)).map(({ key }) => key);

/**
 * What has become of the event. A mark alone does not tell acceptance from refusal; the dead letter, which is stored before it, does. Why an event
 * waits is a condition.
 */
const outcome = async (sight: Sight, sent: Sent, asked: Asked, span: string, signal: AbortSignal): Promise<Finding> => {
  const letter = await letterOfEvent(sight.bus, sent, signal);
  if (letter)
    return failed(
      platform,
      `it refused the test event: ${letter.reason}${letter.detail === '' ? '' : ` (${letter.detail})`}`,
      `\`ranger-relay dlq show ${letter.id}\` prints it, \`ranger-relay dlq drop ${letter.id}\` removes it.`,
    );
  if (asked.marked) return ok(platform, `accepted the test event ${span} later`);
  const status = 'Run `ranger-relay status`: its conditions say why. With many events waiting, repeat later.';
  const onBus = await waitingAt(sight, topics.sourceEvents.name);
  if (onBus.includes(sourceEventKey(sent.integration, probeDevice)))
    return failed(platform, `the test event waits on the bus, ${plural(onBus.length, 'device')} with it`, status);
  if ((await waitingAt(sight, topics.sourceEventsParked.name)).includes(sourceEventKey(sent.integration, probeDevice)))
    return failed(
      platform,
      'the test event was parked: sending for this integration fails while others succeed',
      status,
    );
  return failed(
    platform,
    asked.storeProblem === null
      ? 'the test event has left the bus, but the store has no mark of it'
      : `the state of the test event is unknown: ${asked.storeProblem}`,
    'Check whether the forwarder and this command use the same store (KV_HOST, KV_STATE_DB), and whether it has lost data.',
  );
};

/** Waits until the platform has accepted the event; otherwise reports where it is. */
export const awaitAcceptance = async (parts: StepDependencies, sight: Sight, sent: Sent): Promise<Finding> => {
  const { clock, tell } = parts;
  const began = clock.monotonic();
  tell('the event is stored; waiting for the platform');
  const asked = await untilMarked(parts, sight, sent);
  const span = humanSpan((clock.monotonic() - began) / 1_000);
  return runWithin({ clock, ms: lastLookMs, what: 'reading the dead letters' }, (signal) =>
    outcome(sight, sent, asked, span, signal),
  ).catch((error: unknown) =>
    failed(
      platform,
      `it is unknown whether it accepted the test event: ${toRelayError(error).message}`,
      'Check the bus with `ranger-relay doctor`.',
    ),
  );
};

const name = 'webhook';

const answerSchema = z.looseObject({
  total_observations: z.number().catch(0),
  rejected: z.array(z.looseObject({ code: z.string(), reason: z.string().catch('') })).catch([]),
  detail: z.looseObject({ error: z.string() }).optional().catch(undefined),
});

const read = (body: string): z.infer<typeof answerSchema> =>
  answerSchema.safeParse(jsonOf(body)).data ?? { total_observations: 0, rejected: [] };

const remedies: Readonly<Record<number, string>> = {
  401: entryOf('webhook_unauthorized').check,
  404: 'Check the integration, whether the platform knows it, and the address of the webhook.',
};
const unavailable = 'Check bus and platform with `ranger-relay doctor`, and the log of the webhook ingester.';

const sentence = (answer: PostAnswer | undefined): string => {
  if (!answer) return 'was not called';
  if (answer.status === null) return `does not answer: ${answer.reason}`;
  const { error } = read(answer.body).detail ?? {};
  return `answers ${answer.status}${error === undefined ? '' : `: ${error}`}`;
};

const refusalOf = (url: string, answer: PostAnswer | undefined): Finding => {
  const status = answer?.status ?? null;
  const remedy =
    status === null
      ? 'Check whether the webhook ingester runs and is reachable from here, and PROBE_URL.'
      : (remedies[status] ?? unavailable);
  return failed(name, `${url} ${sentence(answer)}`, remedy);
};

const notStored = (body: string): Finding => {
  const [rejected] = read(body).rejected;
  if (rejected)
    return failed(
      name,
      `the test event was rejected: ${rejected.code} ${rejected.reason}`.trim(),
      'Check the clocks of this machine and of the webhook ingester.',
    );
  return failed(
    name,
    'it accepted the test event and stored nothing of it',
    'Check whether the integration is enabled and includes positions (include_observations).',
  );
};

/** Posts the event until the webhook has it on the bus, as the vendor would. */
export const storeEvent = async (parts: ProbeDependencies, { body, integration, eventId }: Sent): Promise<Finding> => {
  const { clock, random, signal, tell, url } = parts;
  const began = clock.monotonic();
  let last: PostAnswer | undefined;
  const post: ProbeDependencies['post'] = async (text, limit) => {
    const answer = await parts.post(text, limit);
    if (!signal.aborted) last = answer;
    if (answer.status !== 200) tell(`${url} ${sentence(last)}`);
    return answer;
  };
  const taken = await deliver(body, { post, counting: createCounting(), clock, random, signal });
  if (!taken || last?.status !== 200) return refusalOf(url, last);
  if (read(last.body).total_observations < 1) return notStored(last.body);
  const span = humanSpan((clock.monotonic() - began) / 1_000);
  return ok(name, `stored event ${eventId.slice(0, 12)} of ${probeDevice} for ${integration} in ${span}`);
};

/**
 * Sends the event and follows it up to the goal. Every failure becomes a finding.
 * @throws RelayError when bus or store cannot be opened, before anything is sent
 */
export const followEvent = async (
  parts: ProbeDependencies,
  goal: Exclude<Goal, 'ready'>,
  sent: Sent,
  openStores: OpenStores,
): Promise<readonly Finding[]> => {
  if (goal === 'stored') return [await storeEvent(parts, sent)];
  return withStores(openStores, async ({ bus, kv }) => {
    const stored = await storeEvent(parts, sent);
    return stored.status === 'ok' ? [stored, await awaitAcceptance(parts, { bus, state: kv.state }, sent)] : [stored];
  });
};
