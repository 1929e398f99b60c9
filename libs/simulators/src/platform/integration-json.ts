import { createHash } from 'node:crypto';
import type { Integration } from './integrations.ts';
import type { TypeBook } from './types.ts';

/** A stable id in the form of a UUID for a part of an integration. */
const idOf = (...parts: string[]): string => {
  const hex = createHash('sha1').update(parts.join(' ')).digest('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** An integration as the platform's API shows it (platform contract, section 1). */
export const integrationJson = (integration: Integration, types: TypeBook): object => {
  const type = types.get(integration.type);
  const actions = type?.actions ?? [];
  const slugs = new Set([...actions.map(({ value }) => value), ...Object.keys(integration.configurations)]);
  const webhook = type?.webhook ?? { value: `${integration.type}_webhook` };
  return {
    id: integration.id,
    name: integration.name,
    base_url: integration.base_url,
    enabled: integration.enabled,
    type: { id: idOf('type', integration.type), value: integration.type, actions, webhook: type?.webhook ?? null },
    configurations: [...slugs].map((slug) => ({
      id: idOf('configuration', integration.id, slug),
      integration: integration.id,
      action: { type: actions.find(({ value }) => value === slug)?.type ?? 'generic', value: slug },
      data: integration.configurations[slug] ?? {},
    })),
    webhook_configuration: integration.webhook_data === null ? null : { webhook, data: integration.webhook_data },
  };
};
