import { isRelayError } from '@ranger-relay/errors';
import type { HttpClient } from '@ranger-relay/http';
import type { ApiKeys } from '../api-key.ts';
import { actionBudget, withBudget, type Budget, type BudgetTools } from '../budget.ts';
import { createSensorsCall, type PostOptions, type SensorsRequest } from '../sensors-call.ts';
import { readChangeAnswer, readEventsAnswer, type ChangeAnswer, type EventsAnswer } from './answers.ts';
import { multipartOf, type EventFile } from './multipart.ts';

/** An event as the platform takes it (platform contract, sensors API); members that it does not know are dropped there. */
export type EventItem = Readonly<Record<string, unknown>>;

/**
 * The platform's events. A refused key is fetched again and the call made once more; what may help is tried within the budget of actions
 * (4 tries, 150 s in all), a try whose answer was lost included: the platform drops the same event for an hour, but not a repeated note.
 * @throws RelayError for everything that is not about the event: `api_key_refused`, `integration_gone`, `platform_unavailable` (`ambiguous`
 *   when it may have been carried out), `platform_rate_limited`, `platform_token_refused`, `platform_forbidden`; the signal's reason once it is aborted
 */
export interface Events {
  /** Creates at most 100 events; the caller cuts the list. */
  post(integrationId: string, list: readonly EventItem[], options?: PostOptions): Promise<EventsAnswer>;
  /** Makes one change of an event. */
  patch(integrationId: string, objectId: string, change: EventItem, options?: PostOptions): Promise<ChangeAnswer>;
  /** Adds one file to an event. */
  attach(integrationId: string, objectId: string, file: EventFile, options?: PostOptions): Promise<ChangeAnswer>;
}

const budgetOf = ({ tries = actionBudget.tries }: PostOptions): Budget => ({ ...actionBudget, tries });

const pathOf = (objectId: string): string => `events/${encodeURIComponent(objectId)}/`;

/** Makes the client of `baseUrl` (without a last slash). */
export const createEvents = (baseUrl: string, http: HttpClient, keys: ApiKeys, tools: BudgetTools): Events => {
  const call = createSensorsCall(baseUrl, http, keys);

  const change = (
    integrationId: string,
    request: SensorsRequest,
    options: PostOptions = {},
    isFile = false,
  ): Promise<ChangeAnswer> =>
    withBudget(
      budgetOf(options),
      tools,
      () => call(integrationId, request, options, (answer) => readChangeAnswer(answer, integrationId, isFile)),
      options.signal,
    );

  const post: Events['post'] = (integrationId, list, options = {}) => {
    let unsure = false;
    const once = (): Promise<EventsAnswer> =>
      call(integrationId, { method: 'POST', path: 'events/', json: list }, options, (answer) =>
        readEventsAnswer(answer, { integrationId, count: list.length }, unsure),
      ).catch((error: unknown) => {
        unsure ||= isRelayError(error) && error.ambiguous;
        throw error;
      });
    return withBudget(budgetOf(options), tools, once, options.signal);
  };

  return {
    post,
    patch: (integrationId, objectId, json, options) =>
      change(integrationId, { method: 'PATCH', path: pathOf(objectId), json }, options),
    attach: (integrationId, objectId, file, options) => {
      const path = `${pathOf(objectId)}attachments/`;
      return change(integrationId, { method: 'POST', path, ...multipartOf('file', file) }, options, true);
    },
  };
};
