import type { FormChange } from './model.ts';

/** A change of the form as one line of a plan. Titles and names are as the site has them: whoever prints them makes them printable. */
export const describeChange = (change: FormChange): string => {
  switch (change.change) {
    case 'field-added':
      return `add the field ${change.property} "${change.title}"`;
    case 'half-added':
      return `complete the field ${change.property}: its ${change.half} half is missing`;
    case 'kind-fixed':
      return `mend the kind of ${change.property}: ${change.from} → ${change.to}`;
    case 'options-fixed':
      return `mend the options of ${change.property}: ${change.from} → ${change.to}`;
    case 'title-changed':
      return `rename ${change.property}: "${change.from}" → "${change.to}"`;
    case 'deprecated-changed':
      return `${change.to ? 'retire' : 'bring back'} the field ${change.property}`;
    case 'section-added':
      return `add the section ${change.section}`;
    case 'section-shown':
      return `put the section ${change.section} back into the order`;
    case 'replaced':
      return change.dropped.length > 0
        ? `replace the whole form; gone are ${change.dropped.join(', ')}`
        : 'replace the whole form';
  }
};
