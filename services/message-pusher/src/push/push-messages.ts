import { RelayError, toRelayError } from '@ranger-relay/errors';
import { failedBody, failedPayload } from '../failures/failed-entry.ts';
import { deliveryIdOf } from './delivery-id.ts';
import { unanswered } from './ends.ts';
import { giveUp } from './letters.ts';
import { tellEnds, tellFailed } from './notices.ts';
import type { PushDeps, PushInput } from './parts.ts';
import { readPush } from './read-push.ts';
import { conclude, type PushResult } from './result.ts';
import { sendAll } from './send-all.ts';

const transient = (input: PushInput, deliveryId: string, error: RelayError, deps: PushDeps): PushResult => {
  const failure = unanswered(error);
  const payload = failedPayload(failure, { deliveryId, recipients: [] });
  tellFailed(input, payload, deps);
  return { outcome: 'transient', status: 500, body: failedBody(failure, payload), retryAfterMs: error.retryAfterMs };
};

/** Gives up all of a push; what cannot be stored is delivered again. */
const dropWhole = async (
  input: PushInput,
  { code: reason, message: detail }: { code: string; message: string },
  deps: PushDeps,
  done: (deliveryId: string) => PushResult,
): Promise<PushResult> => {
  const deliveryId = deliveryIdOf(input, deps.settings.idAttribute);
  try {
    await giveUp(input, { deliveryId, recipient: null, reason, detail, attempts: 0 }, deps);
  } catch (error) {
    return transient(input, deliveryId, toRelayError(error), deps);
  }
  return done(deliveryId);
};

const disabled = {
  code: 'integration_disabled',
  message: 'The integration is disabled; replay when it is enabled again',
};

/**
 * The `push_messages` action (device contract, section 7): sends one text of the site to each of its devices, at most once as far as the
 * ledger can tell. Writes the Failed event and `Message Delivered` itself; Started is the caller's. Never throws for what the vendor, the
 * store or the bus does.
 */
export const pushMessages = async (input: PushInput, deps: PushDeps): Promise<PushResult> => {
  if (!input.enabled) {
    const body = { skipped: true, reason: disabled.code } as const;
    return dropWhole(input, disabled, deps, () => ({ outcome: 'skipped', status: 200, body }));
  }
  const push = readPush(input, deps.settings, deps.clock.now());
  if (push instanceof RelayError)
    return dropWhole(input, push, deps, (deliveryId) => {
      tellFailed(input, failedPayload(unanswered(push), { deliveryId, recipients: [] }), deps);
      const failed = [{ recipient: null, code: push.code, error: push.message }];
      return { outcome: 'failed', status: 200, body: { status: 'failed', accepted: [], failed, unknown: [] } };
    });
  const ends = await sendAll(push, deps);
  const { result, failed } = conclude(push.deliveryId, ends);
  if (failed) tellFailed(input, failed, deps);
  if (result.outcome !== 'transient') tellEnds(input, push.deliveryId, ends, deps);
  return result;
};
