import { isRelayError, RelayError, toRelayError } from '@ranger-relay/errors';
import { eventKey } from '@ranger-relay/observation-forwarder';
import { humanSpan } from '@ranger-relay/terminal';
import { failed, ok, type Finding } from '../doctor/finding.ts';
import { letterOfEvent } from './letters.ts';
import type { Sent, Sight, StepParts } from './parts.ts';
import { platformName, refused, whereabouts } from './whereabouts.ts';

const betweenMs = 250;
/** The last looks, when the time is over, have so long, ms. */
const lastLookMs = 10_000;

type Asked = { readonly marked: boolean; readonly storeProblem: string | null };

/** The forwarder marks an event behind the platform's 200, and behind its dead letter; nowhere else. */
const untilMarked = async ({ clock, signal }: StepParts, { state }: Sight, sent: Sent): Promise<Asked> => {
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
    await clock.sleep(betweenMs, signal).catch(() => undefined);
  }
  return { marked: false, storeProblem };
};

const tooLate = (): RelayError =>
  new RelayError('deadline_exceeded', { details: { what: 'the look at the dead letters', ms: lastLookMs } });

/** A mark alone does not tell acceptance from refusal; the dead letter, which is stored before it, does. */
const judged = async (sight: Sight, sent: Sent, span: string, signal: AbortSignal): Promise<Finding> => {
  try {
    const letter = await letterOfEvent(sight.bus, sent, signal);
    return letter ? refused(letter) : ok(platformName, `accepted the test event ${span} later`);
  } catch (error) {
    const { message } = toRelayError(error);
    return failed(platformName, `whether it accepted or refused the test event cannot be seen: ${message}`, 'The bus.');
  }
};

/** Waits until the platform has accepted the event; else tells where it is. */
export const awaitAcceptance = async (parts: StepParts, sight: Sight, sent: Sent): Promise<Finding> => {
  const { clock, tell } = parts;
  const began = clock.monotonic();
  tell('the event is stored; waiting for the platform');
  const { marked, storeProblem } = await untilMarked(parts, sight, sent);
  const span = humanSpan((clock.monotonic() - began) / 1_000);
  const over = new AbortController();
  const timer = clock.after(lastLookMs, () => over.abort(tooLate()));
  try {
    return marked
      ? await judged(sight, sent, span, over.signal)
      : await whereabouts(sight, sent, storeProblem, over.signal);
  } finally {
    timer.cancel();
  }
};
