import { RelayError, toRelayError } from '@ranger-relay/errors';
import type { Span } from '@ranger-relay/runtime';
import { actionFailureOf, failureSentence, type Failure, type Told } from '../failures/failure.ts';
import { countEnds } from './count-ends.ts';
import { deliveryIdOf } from './delivery-id.ts';
import { unanswered } from './ends.ts';
import { giveUp } from './letters.ts';
import { tellEnds } from './notices.ts';
import type { PushDeps, PushInput } from './parts.ts';
import { readPush } from './read-push.ts';
import { conclude, type PushBody } from './result.ts';
import { sendAll } from './send-all.ts';
import { parentOf } from './trace-parent.ts';

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

/** Gives up all of a push; what cannot be stored is delivered again. */
const dropWhole = async (run: Run, problem: RelayError, { input, deps }: Parts): Promise<never> => {
  const { code: reason, message: detail } = problem;
  const { deliveryId } = run;
  const told = { deliveryId, recipients: [] };
  try {
    await giveUp(input, { deliveryId, recipient: null, reason, detail, attempts: 0 }, deps);
  } catch (error) {
    return fail(run, unanswered(toRelayError(error)), { ...told, transient: true, buried: false });
  }
  deps.metrics.count('relay_texts_total', { outcome: 'failed' });
  const failure = unanswered(problem);
  const failed = [{ recipient: null, code: problem.code, error: failureSentence(failure) }];
  const result: PushBody = { status: 'failed', accepted: [], failed, unknown: [] };
  return fail(run, failure, { ...told, transient: false, result, buried: true });
};

const runPush = async (run: Run, { input, deps }: Parts): Promise<PushBody> => {
  const push = readPush(input, deps.settings, deps.time() ?? deps.clock.now());
  if (push instanceof RelayError) return dropWhole(run, push, { input, deps });
  const { deliveryId } = push;
  const ends = await sendAll(push, deps, run.span.traceparent);
  countEnds(deps.metrics, ends);
  const concluded = conclude(ends);
  if (concluded.kind !== 'again') tellEnds(input, deliveryId, ends, deps.clock.now());
  if (concluded.kind === 'success') return concluded.body;
  const { failure, recipients } = concluded;
  input.log.warn({ delivery_id: deliveryId, recipients, error: failureSentence(failure) }, 'a push failed');
  if (concluded.kind === 'again') return fail(run, failure, { transient: true, deliveryId, recipients, buried: false });
  return fail(run, failure, { transient: false, deliveryId, recipients, result: concluded.body, buried: true });
};

/**
 * The `push_messages` action (device contract, section 7): sends one text of the site to each of its devices, at most once as far as the
 * ledger can tell.
 * @throws ActionFailure transient when a device is left for the next delivery; else permanent, with the body as its result, when a device
 *   was given up and its dead letter is stored. The Failed event is the runtime's
 */
export const pushMessages = (input: PushInput, deps: PushDeps): Promise<PushBody> => {
  const deliveryId = deliveryIdOf(input, deps.settings.idAttribute);
  const attributes = { delivery_id: deliveryId, destination_id: input.integrationId };
  return deps.tracing.span('push_messages', { parent: parentOf(input), attributes }, (span) =>
    runPush({ deliveryId, span }, { input, deps }),
  );
};
