import { entryOf, isRelayError, toRelayError } from '@ranger-relay/errors';
import { eventKey } from '@ranger-relay/observation-forwarder';
import { pause, runWithin } from '@ranger-relay/runtime';
import { humanSpan } from '@ranger-relay/terminal';
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
import { platformName, refused, whereabouts } from './whereabouts.ts';

const betweenMs = 250;
/** Time limit of the final checks after the deadline, ms. */
const lastLookMs = 10_000;

type Asked = { readonly marked: boolean; readonly storeProblem: string | null };

/** The forwarder marks an event only after the platform's 200 or after its dead letter. */
const untilMarked = async ({ clock, signal }: StepDependencies, { state }: Sight, sent: Sent): Promise<Asked> => {
  const key = eventKey({ integration_id: sent.integration, event_id: sent.eventId });
  let storeProblem: string | null = null;
  while (!signal.aborted) {
    try {
      if ((await state.get(key)) === 'done') return { marked: true, storeProblem: null };
      storeProblem = null;
    } catch (error) {
      if (!isRelayError(error, 'kv_unavailable')) throw error;
      storeProblem = error.message;
    }
    await pause(clock, betweenMs, signal);
  }
  return { marked: false, storeProblem };
};

/** A mark alone does not tell acceptance from refusal; the dead letter, which is stored before it, does. */
const judged = async (sight: Sight, sent: Sent, span: string, signal: AbortSignal): Promise<Finding> => {
  try {
    const letter = await letterOfEvent(sight.bus, sent, signal);
    return letter ? refused(letter) : ok(platformName, `accepted the test event ${span} later`);
  } catch (error) {
    const { message } = toRelayError(error);
    return failed(platformName, `it is unknown whether it accepted the test event: ${message}`, 'The bus.');
  }
};

/** Waits until the platform has accepted the event; otherwise reports where it is. */
export const awaitAcceptance = async (parts: StepDependencies, sight: Sight, sent: Sent): Promise<Finding> => {
  const { clock, tell } = parts;
  const began = clock.monotonic();
  tell('the event is stored; waiting for the platform');
  const { marked, storeProblem } = await untilMarked(parts, sight, sent);
  const span = humanSpan((clock.monotonic() - began) / 1_000);
  return runWithin({ clock, ms: lastLookMs, what: 'reading the dead letters' }, (signal) =>
    marked ? judged(sight, sent, span, signal) : whereabouts(sight, sent, storeProblem, signal),
  );
};

const name = 'webhook';

const answerSchema = z.looseObject({
  total_observations: z.number().catch(0),
  rejected: z.array(z.looseObject({ code: z.string(), reason: z.string().catch('') })).catch([]),
  detail: z.looseObject({ error: z.string() }).optional().catch(undefined),
});

const read = (body: string): z.infer<typeof answerSchema> => {
  try {
    return answerSchema.parse(JSON.parse(body));
  } catch {
    return { total_observations: 0, rejected: [] };
  }
};

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
  const findings: Finding[] = [];
  await withStores(openStores, async ({ bus, kv }) => {
    const stored = await storeEvent(parts, sent);
    findings.push(stored);
    if (stored.status === 'ok') findings.push(await awaitAcceptance(parts, { bus, state: kv.state }, sent));
  });
  return findings;
};
