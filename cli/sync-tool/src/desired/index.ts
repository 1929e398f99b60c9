import type { Bundle } from '../bundle/model.ts';
import type { FormField } from '../form/index.ts';
import { desiredChoices, type DesiredChoice } from './choices.ts';
import { desiredFields } from './fields.ts';
import type { Label } from './labels.ts';
import { desiredPeople, type DesiredPeople } from './subjects.ts';
import { desiredTypes, type DesiredType } from './types.ts';

/** Everything that the site is to have for the patrols of a bundle, without a look at the site. */
export interface Desired {
  readonly types: readonly DesiredType[];
  readonly fields: readonly FormField[];
  readonly choices: ReadonlyMap<string, readonly DesiredChoice[]>;
  readonly people: DesiredPeople;
}

/** What the site is to have. */
export const desiredOf = (bundle: Bundle, label: Label, nameSuffix: boolean): Desired => ({
  types: desiredTypes(bundle.transports, label),
  fields: desiredFields(bundle.attributes, label),
  choices: desiredChoices(bundle, label),
  people: desiredPeople(
    {
      employees: bundle.employees,
      usage: bundle.usage,
      area: bundle.manifest.area,
      referenceDate: bundle.manifest.exportedAt.slice(0, 10),
      nameSuffix,
    },
    label,
  ),
});
