import type { FormChange } from '../form/index.ts';

/** One change of the form in words. */
export const describeChange = (change: FormChange): string => {
  switch (change.change) {
    case 'field-added':
      return `+ ${change.property} "${change.title}"`;
    case 'half-added':
      return `~ ${change.property}: its ${change.half} half was missing`;
    case 'kind-fixed':
      return `~ ${change.property}: kind ${change.from} → ${change.to}`;
    case 'options-fixed':
      return `~ ${change.property}: options from ${change.from} → ${change.to}`;
    case 'title-changed':
      return `~ ${change.property}: title "${change.from}" → "${change.to}"`;
    case 'deprecated-changed':
      return `~ ${change.property}: ${change.to ? 'no longer in use' : 'in use again'}`;
    case 'section-added':
      return `+ section ${change.section}`;
    case 'section-shown':
      return `~ section ${change.section} is shown`;
    case 'replaced':
      return `everything else gives way${change.dropped.length > 0 ? `: ${change.dropped.join(', ')} are gone` : ''}`;
  }
};
