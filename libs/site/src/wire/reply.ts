import type { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { parseExactJson } from '../exact-json.ts';
import { unwrap } from './envelope.ts';
import { refusalOf, unreadable } from './refusals.ts';

/** An answer of the site that is final. */
export interface Reply {
  readonly status: number;
  /** `METHOD host/path`. */
  readonly target: string;
  readonly ok: boolean;
  /** The body out of its envelope; undefined when it is empty. @throws RelayError `site_answer_unreadable` when it is no JSON */
  payload(): unknown;
  /** Whether the body holds this phrase, in any case of letters. */
  says(phrase: string): boolean;
  /** The error that a reply which is not `ok` stands for. */
  refusal(): RelayError;
}

/** Makes a reply of an answer to a request to `url`. */
export const replyOf = (answer: HttpAnswer, url: URL): Reply => {
  const { status, target, body } = answer;
  return {
    status,
    target,
    ok: status >= 200 && status < 300,
    payload() {
      if (body.length === 0) return undefined;
      try {
        return unwrap(parseExactJson(new TextDecoder('utf-8', { fatal: true }).decode(body)));
      } catch {
        throw unreadable(target, `status ${status} with ${body.length} bytes that are no JSON`);
      }
    },
    says: (phrase) => new TextDecoder().decode(body).toLowerCase().includes(phrase.toLowerCase()),
    refusal: () => refusalOf(answer, url),
  };
};
