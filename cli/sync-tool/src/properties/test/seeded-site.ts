import type { Random } from '@ranger-relay/runtime';
import type { Seed, SiteSimulator } from '@ranger-relay/simulators';
import type { Bundle } from '../../bundle/model.ts';
import type { Desired } from '../../resources/index.ts';
import { managedBy } from '@ranger-relay/site';
import { plannedForm } from '../../form/planned.ts';

/** Chance of one case, from its seed. */
export type Chance = Pick<Random, 'next'>;

const dashed = (uuid: string): string => uuid.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-').toUpperCase();

type SeedSubject = NonNullable<Seed['subjects']>[number];
type SeedChoice = NonNullable<Seed['choices']>[number];

const subjectsOf = ({ people }: Desired, { manifest: { area } }: Bundle, { next }: Chance): SeedSubject[] => {
  const marks = { ext_managed_by: managedBy, ext_conservation_area: area.uuid };
  const known = people.subjects.flatMap(({ member, name, employeeId }): SeedSubject[] => {
    const dice = next();
    const is_active = next() < 0.6;
    if (dice < 0.15)
      return [{ name, is_active, additional: { ext_member_id: member, ext_employee_id: employeeId, ...marks } }];
    if (dice < 0.3)
      return [{ name: `${name} old`, is_active, additional: { ext_member_id: dashed(member), note: 'kept' } }];
    if (dice < 0.4)
      return [{ name, is_active, additional: { ext_employee_id: employeeId, ca_uuid: dashed(area.uuid) } }];
    return [];
  });
  const others: SeedSubject[] = [
    { name: 'Somebody else', additional: { colour: 'red' } },
    {
      name: 'Of another area',
      additional: { ext_managed_by: managedBy, ext_conservation_area: 'e'.repeat(32), ext_member_id: 'd'.repeat(32) },
    },
  ];
  const gone = next() < 0.5 ? [{ name: 'Gone', additional: { ext_member_id: 'f0'.repeat(16), ...marks } }] : [];
  return [...known, ...others, ...gone];
};

const choicesOf = ({ choices }: Desired, { next }: Chance): NonNullable<Seed['choices']> =>
  [...choices].flatMap(([field, options]) => {
    const known = options.flatMap(({ value, display, isActive }, ordernum): SeedChoice[] => {
      const dice = next();
      if (dice < 0.2) return [{ field, value, display, is_active: isActive, ordernum }];
      if (dice < 0.4)
        return [
          {
            field,
            value: field === 'patrol_station' ? dashed(value) : value,
            display: 'old text',
            is_active: next() < 0.5,
          },
        ];
      return [];
    });
    return next() < 0.5 ? known.concat({ field, value: 'of_an_admin', display: 'Of an admin' }) : known;
  });

const formOf = ({ fields }: Desired, { next }: Chance): unknown => {
  const dice = next();
  if (dice < 0.3) return null;
  const document = structuredClone(plannedForm(fields.slice(0, Math.floor(next() * fields.length)))) as {
    json: { properties: Record<string, unknown> };
    ui: { fields: Record<string, unknown>; order: string[]; sections: Record<string, unknown> };
  };
  if (dice < 0.6) return document;
  document.json.properties['of_an_admin'] = { type: 'string', title: 'Mine', description: '', deprecated: false };
  document.ui.fields['of_an_admin'] = { type: 'TEXT', inputType: 'SHORT_TEXT', parent: 'section-admin' };
  document.ui.order.unshift('section-admin');
  document.ui.sections['section-admin'] = {
    label: 'Admin',
    columns: 1,
    isActive: true,
    leftColumn: [{ name: 'of_an_admin', type: 'field' }],
    rightColumn: [],
  };
  return document;
};

/** Fills a site with what earlier runs, other areas and admins may have left there for this bundle. */
export const seedSite = (site: SiteSimulator, bundle: Bundle, desired: Desired, chance: Chance): void => {
  const [base, roster] = site.state().groups;
  site.seed({
    patrols: [],
    types: desired.types.flatMap(({ value, display, isActive }) => {
      const dice = chance.next();
      if (dice < 0.2) return [{ value, display, is_active: isActive }];
      return dice < 0.4 ? [{ value, display: 'old text', is_active: chance.next() < 0.5 }] : [];
    }),
    choices: choicesOf(desired, chance),
    subjects: subjectsOf(desired, bundle, chance),
    form: formOf(desired, chance),
    groups: [
      { id: base?.id ?? '', name: 'All Subjects' },
      { id: roster?.id ?? '', name: 'Rangers' },
    ],
  });
  const members = site.state().subjects.filter(() => chance.next() < 0.3);
  site.seed({
    groups: [
      { id: base?.id ?? '', name: 'All Subjects' },
      { id: roster?.id ?? '', name: 'Rangers', subjects: members.map(({ id }) => id) },
    ],
  });
};
