import type { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { parseExactJson } from '../exact-json.ts';
import { refusalOf, unreadable, unwrap } from './refusals.ts';

/** One request to the site, below `/api/v1.0/`. */
export interface SiteRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Without a first slash, with a last one. */
  readonly path: string;
  /** Parameters, or the search part of an address that the site gave. */
  readonly query?: Readonly<Record<string, string>> | string;
  readonly json?: unknown;
  /** Sent without the token. */
  readonly anonymous?: boolean;
}

/** The search part of a request's address, with its question mark; empty without parameters. */
export const searchOf = ({ query }: SiteRequest): string => {
  if (query === undefined || typeof query === 'string') return query ?? '';
  return `?${new URLSearchParams(query)}`;
};

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
