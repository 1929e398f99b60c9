import { RelayError, toRelayError } from '@ranger-relay/errors';
import { pause, type Span } from '@ranger-relay/runtime';
import { actionFailureOf, type Failure, failureSentence, type Told } from '../failures/failure.ts';
import { ledgerKey } from '../ledger/entry.ts';
import { giveUp } from './letters.ts';
import type { PushDeps, PushInput } from './dependencies.ts';
import { deliveryIdOf, parentOf, type Push, readPush } from './read-push.ts';
import { conclude, countOutcomes, type Outcome, later, type PushBody, unanswered } from './result.ts';
import { TextDelivery, type DeliveryResult } from './text-delivery.ts';

const recipientsOf = (ends: readonly Outcome[], kind: Outcome['kind']): string[] =>
  ends.filter((end) => end.kind === kind).map(({ recipient }) => recipient);

/**
 * Reports accepted and held texts to the activity log (device contract, section 7). A run in which every result was
 * decided before reports nothing again.
 * @param now ms since 1970
 */
const reportOutcomes = (
  { feed, attributes }: PushInput,
  deliveryId: string,
  ends: readonly Outcome[],
  now: number,
): void => {
  if (!ends.some((end) => end.kind !== 'transient' && end.fresh)) return;
  const accepted = recipientsOf(ends, 'accepted');
  const held = recipientsOf(ends, 'held');
  const at = new Date(now).toISOString();
  if (accepted.length > 0)
    feed.info('Message Delivered', { delivery_id: deliveryId, recipients: accepted, delivered_at: at, attributes });
  if (held.length > 0)
    feed.warning('Message held: it may have been sent', { delivery_id: deliveryId, recipients: held, held_at: at });
};

/** Longest wait of a run at the vendor's request, ms. */
const patienceMs = 60_000;
/** Shortest wait, also when the vendor asks for none, ms. */
const shortestWaitMs = 1_000;
/** Time reserved for the ledger around a call, ms. */
const marginMs = 5_000;

/** Returns failures of the account: another device would fail in the same way, and repeated wrong credentials may lock the account. */
const touchesAll = (end: Outcome): RelayError | undefined =>
  end.kind === 'transient' && (end.error.code === 'vendor_auth_refused' || end.error.code === 'vendor_throttled')
    ? end.error
    : undefined;

/** The wait that the vendor asks for before the same call; undefined when it asks for none. */
const askedWait = (end: Outcome): number | undefined => {
  if (end.kind !== 'transient' || end.status === null || end.error.ambiguous) return undefined;
  const { retryAfterMs } = end.error;
  return retryAfterMs === undefined ? undefined : Math.max(retryAfterMs, shortestWaitMs);
};

/**
 * Sends a push to each of its devices in turn, one call at a time per integration (device contract, section 7).
 * @param parent trace parent of the calls
 */
const sendAll = async (push: Push, deps: PushDeps, parent?: string): Promise<readonly Outcome[]> => {
  const { clock, ledger, turns, settings } = deps;
  const { integrationId, budgetMs, signal } = push.input;
  const finish = clock.monotonic() + budgetMs;
  const leftMs = (): number => finish - clock.monotonic() - settings.timeoutMs;
  const refusal = (): RelayError | undefined =>
    leftMs() <= 0 || signal?.aborted
      ? new RelayError('deadline_exceeded', { details: { what: 'The push', ms: budgetMs } })
      : undefined;
  const keys = push.recipients.map((recipient) => ledgerKey(integrationId, push.deliveryId, recipient));
  const opened = await ledger.open(keys, push.input.receivedAt, push.input.isRedelivered);
  const sending = new TextDelivery(push, deps, { refusal, parent, opened });
  let patience = patienceMs;

  const sendPatiently = async (recipient: string): Promise<DeliveryResult> => {
    for (;;) {
      const sent = await sending.sendTo(recipient);
      const waitMs = askedWait(sent.end);
      if (waitMs === undefined || waitMs > patience || waitMs > leftMs() - marginMs || signal?.aborted) return sent;
      patience -= waitMs;
      await pause(clock, waitMs, signal);
    }
  };

  const settling: Promise<void>[] = [];
  const inTurn = async (recipient: string): Promise<Outcome> => {
    const sent = refusal()
      ? undefined
      : await turns.take(integrationId, leftMs(), () => sendPatiently(recipient), signal);
    if (!sent) return later(recipient, unanswered(refusal() ?? new RelayError('push_busy')));
    sent.settled.catch(() => undefined);
    settling.push(sent.settled);
    return sent.end;
  };

  const ends: Outcome[] = [];
  let stop: RelayError | undefined;
  for (const recipient of push.recipients) {
    const end = stop ? later(recipient, unanswered(stop)) : await inTurn(recipient);
    stop ??= touchesAll(end);
    ends.push(end);
  }
  await Promise.all(settling);
  return ends;
};

/** One run of the action. */
interface Run {
  readonly deliveryId: string;
  readonly span: Span;
}

interface Parts {
  readonly input: PushInput;
  readonly deps: PushDeps;
}

const fail = ({ span }: Run, failure: Failure, told: Told): never => {
  span.fail(failure.error.code);
  throw actionFailureOf(failure, told);
};

/** Dead-letters a whole push; when the dead letter cannot be stored, the push is redelivered. */
const dropWhole = async (run: Run, problem: RelayError, { input, deps }: Parts): Promise<never> => {
  const { code: reason, message: detail } = problem;
  const { deliveryId } = run;
  const told = { deliveryId, recipients: [] };
  try {
    await giveUp(input, { deliveryId, recipient: null, reason, detail, attempts: 0 }, deps);
  } catch (error) {
    return fail(run, unanswered(toRelayError(error)), { ...told, transient: true, deadLettered: false });
  }
  deps.metrics.count('relay_texts_total', { outcome: 'failed' });
  const failure = unanswered(problem);
  const failed = [{ recipient: null, code: problem.code, error: failureSentence(failure) }];
  const result: PushBody = { status: 'failed', accepted: [], failed, unknown: [] };
  return fail(run, failure, { ...told, transient: false, result, deadLettered: true });
};

const runPush = async (run: Run, { input, deps }: Parts): Promise<PushBody> => {
  const push = readPush(input, deps.settings, deps.time() ?? deps.clock.now());
  if (push instanceof RelayError) return dropWhole(run, push, { input, deps });
  const { deliveryId } = push;
  const ends = await sendAll(push, deps, run.span.traceparent);
  countOutcomes(deps.metrics, ends);
  const concluded = conclude(ends);
  if (concluded.kind !== 'again') reportOutcomes(input, deliveryId, ends, deps.clock.now());
  if (concluded.kind === 'success') return concluded.body;
  const { failure, recipients } = concluded;
  input.log.warn({ delivery_id: deliveryId, recipients, error: failureSentence(failure) }, 'a push failed');
  if (concluded.kind === 'again')
    return fail(run, failure, { transient: true, deliveryId, recipients, deadLettered: false });
  return fail(run, failure, { transient: false, deliveryId, recipients, result: concluded.body, deadLettered: true });
};

/**
 * The `push_messages` action (device contract, section 7): sends one text from the site to each of its devices, at most once as far as the
 * ledger can tell. The runtime writes the Failed event.
 * @throws ActionFailure transient when a device is left for the next delivery; else permanent, with the body as its result, when a device
 *   failed for good and its dead letter is stored
 */
export const pushMessages = (input: PushInput, deps: PushDeps): Promise<PushBody> => {
  const deliveryId = deliveryIdOf(input, deps.settings.idAttribute);
  const attributes = { delivery_id: deliveryId, destination_id: input.integrationId };
  return deps.tracing.span('push_messages', { parent: parentOf(input), attributes }, (span) =>
    runPush({ deliveryId, span }, { input, deps }),
  );
};
