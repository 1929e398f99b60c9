import type { Clock } from '../time/clock.ts';
import type { Random } from '../time/random.ts';
import { type Integration, integrationJson } from './integrations.ts';
import type { TypeBook } from './types.ts';

/** A config event's data; its type also travels in the attribute `event_type`. */
export interface ConfigEvent {
  readonly event_id: string;
  readonly timestamp: string;
  readonly schema_version: 'v1';
  readonly event_type: string;
  readonly payload: object;
}

/** Makes the config events of section 1 of the platform contract. */
export const configEvents = (clock: Clock, random: Random, types: TypeBook) => {
  const event = (event_type: string, payload: object): ConfigEvent => ({
    event_id: random.uuid(),
    timestamp: new Date(clock.now()).toISOString().replace('T', ' ').replace('Z', '000+00:00'),
    schema_version: 'v1',
    event_type,
    payload,
  });
  return {
    integrationCreated: (integration: Integration): ConfigEvent =>
      event('IntegrationCreated', { ...integrationJson(integration, types), configurations: [] }),
    integrationUpdated: (id: string, changes: object): ConfigEvent =>
      event('IntegrationUpdated', { id, alt_id: id, changes }),
    integrationDeleted: (id: string): ConfigEvent => event('IntegrationDeleted', { id }),
    actionConfigCreated: (id: string, integration: string, action: string, data: object): ConfigEvent =>
      event('ActionConfigCreated', { id, integration, action: { type: 'generic', value: action }, data }),
    actionConfigUpdated: (id: string, integration_id: string, action: string, data: object): ConfigEvent =>
      event('ActionConfigUpdated', { id, alt_id: action, integration_id, changes: { data } }),
    actionConfigDeleted: (id: string, integration_id: string, action: string): ConfigEvent =>
      event('ActionConfigDeleted', { id, alt_id: action, integration_id }),
  };
};
