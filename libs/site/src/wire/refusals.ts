import { RelayError } from '@ranger-relay/errors';
import type { HttpAnswer } from '@ranger-relay/http';
import { reasonOf } from './reason.ts';

/** An error of a request, saying whether it may have been carried out all the same. */
export const withAmbiguity = ({ code, details, cause }: RelayError, ambiguous: boolean): RelayError =>
  new RelayError(code, { details: { ...details, ambiguous }, ambiguous, cause });

/** `site_answer_unreadable`: what came is not what the contract knows. */
export const unreadable = (target: string, problem: string, ambiguous = false): RelayError =>
  new RelayError('site_answer_unreadable', { details: { target, problem, ambiguous }, ambiguous });

/** Statuses after which the same request may be carried out later. */
export const isTransient = (status: number): boolean => status === 429 || (status >= 502 && status <= 504);

/** The address a redirect leads to: of another host its origin alone, else the path too, never a query. */
const leadsTo = (answer: HttpAnswer, url: URL): string => {
  const location = answer.headers['location'];
  const to = location === undefined ? null : URL.parse(location, url.href);
  if (!to) return 'an unknown address';
  return to.origin === url.origin ? `${to.origin}${to.pathname}`.slice(0, 200) : to.origin;
};

/** What an answer outside of 200 to 299 that is final means (site contract, 1, errors). */
export const refusalOf = (answer: HttpAnswer, url: URL): RelayError => {
  const { status, target } = answer;
  if (status === 401) return new RelayError('site_unauthorized', { details: { target } });
  if (status === 403) return new RelayError('site_forbidden', { details: { target } });
  if (status === 404) return new RelayError('site_not_found', { details: { target } });
  if (status === 405) return new RelayError('site_too_old', { details: { target } });
  if (status === 409) return new RelayError('site_conflict', { details: { target } });
  if (status < 400) {
    if (status === 304 || status < 300) return unreadable(target, `status ${status}`);
    return new RelayError('site_redirected', { details: { target, to: leadsTo(answer, url) } });
  }
  return new RelayError('site_refused', { details: { target, status, reason: reasonOf(answer) } });
};
