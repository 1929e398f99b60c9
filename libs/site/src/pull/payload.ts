import { isRelayError, RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { unreadable } from '../wire/failure.ts';
import { replyOf, type Reply } from '../wire/wire.ts';
import type { Ask } from './tries.ts';

/** A body that does not parse was truncated, or comes from an intermediary: the site's own responses parse. */
const broken = (target: string): RelayError =>
  new RelayError('site_unavailable', { details: { target, reason: 'the answer is no JSON', tries: 1 } });

/**
 * Parses a successful response as JSON.
 * @throws RelayError the refusal of another status; `site_unavailable` when the body does not parse
 */
export const goodReply = (answer: HttpAnswer, url: string): Reply => {
  const reply = replyOf(answer, new URL(url));
  if (!reply.ok) throw reply.refusal();
  try {
    reply.payload();
  } catch {
    throw broken(answer.target);
  }
  return reply;
};

/** Requests JSON of at most `maxBytes`. @throws RelayError `site_answer_unreadable` for a larger body */
export const jsonAsk =
  (ask: Ask): Ask =>
  async (question) => {
    try {
      return await ask(question);
    } catch (error) {
      if (!isRelayError(error, 'http_body_too_large')) throw error;
      const { target, limit } = error.details;
      throw unreadable(String(target), `over ${String(limit)} bytes`);
    }
  };
