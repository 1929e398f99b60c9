import { defineAction, type ActionContext } from '@ranger-relay/actions';
import { RelayError } from '@ranger-relay/errors';
import type { SiteTools } from '../tools.ts';
import { pullEventsConfig, type PullEventsConfig } from './config.ts';
import { createBury } from './dead-letter.ts';
import { pullEvents, type PullEventsResult } from './pull-events.ts';

const run = async (
  context: ActionContext<
    PullEventsConfig,
    unknown,
    Pick<SiteTools, 'openReader' | 'events' | 'deadLetters' | 'overlapMs' | 'lateMs'>
  >,
): Promise<PullEventsResult> => {
  const { integration, tools, receivedAt, signal } = context;
  const { id } = integration;
  if (id === null) throw new RelayError('integration_unsaved', { details: { action: context.actionId } });
  return pullEvents({
    ...context,
    integrationId: id,
    site: tools.openReader(integration, await context.configOf('auth'), signal),
    events: tools.events,
    overlapMs: tools.overlapMs,
    lateMs: tools.lateMs,
    bury: createBury({ deadLetters: tools.deadLetters, integrationId: id, receivedAt }),
  });
};

/** The action `pull_events`: takes the events of a site over to the platform, and what changes of them afterwards. */
export const action_pull_events = defineAction({
  type: 'pull',
  config: pullEventsConfig,
  title: 'Pull events',
  description: 'Takes the events of the site over to the platform, with their notes, changes and files.',
  run,
});
