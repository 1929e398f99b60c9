/** An id as the platform gives it. */
export const parkId = 'abcdef11-2222-4333-8444-555555555555';

/** A whole integration, as the platform answers it. */
export const wholeIntegration = (parts: Record<string, unknown> = {}): Record<string, unknown> => ({
  id: parkId,
  name: 'Park',
  base_url: 'https://vendor.example',
  enabled: true,
  type: { id: 't', value: 'device_connector', actions: [{ type: 'auth', value: 'auth', schema: {} }], webhook: null },
  configurations: [
    { id: 'c1', integration: parkId, action: { type: 'auth', value: 'auth' }, data: { username: 'u' } },
    { id: 'c2', integration: parkId, action: { type: 'pull', value: 'pull_events' }, data: {} },
  ],
  webhook_configuration: { webhook: { value: 'device_connector_webhook' }, data: { include_messages: false } },
  extra: 'kept',
  ...parts,
});
