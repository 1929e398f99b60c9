import type { SampleRecord } from './json.ts';
import { sampleNames } from './labels.ts';
import { uuidAt } from './random.ts';
import type { World } from './vocabulary.ts';

const givenNames = ['Amina', 'Ben', 'Chipo', 'Dara', 'Elio', 'Farah', 'Grace', 'Hugo', 'Ines', 'Juma', 'Kofi', 'Lan'];
const familyNames = ['Abara', 'Bakar', 'Cruz', 'Diaz', 'Eko', 'Flores', 'Gomez', 'Haji', 'Islas', 'Jara', 'Keita'];

const date = (year: number, position: number): string =>
  `${year}-${String(1 + (position % 12)).padStart(2, '0')}-${String(1 + (position % 28)).padStart(2, '0')}`;

/** Employees, the first of whom have logins; every seventh has left. In format 1.0 nobody has a login flag. */
export function* employees(world: World, hasFlags: boolean): Generator<SampleRecord> {
  const { counts, seed, random } = world;
  for (let position = 0; position < counts.employees; position += 1) {
    const agency = {
      key: `agency_${position % 4}`,
      names: sampleNames(random, counts.languages, 'agency', position % 4),
    };
    yield {
      uuid: uuidAt(seed, 'employees', position),
      id: String(position + 1).padStart(3, '0'),
      given_name: givenNames[random.below(givenNames.length)],
      family_name: `${familyNames[random.below(familyNames.length)]} ${position}`,
      employment: {
        start: date(2012 + (position % 8), position),
        end: position % 7 === 6 ? date(2024, position) : null,
      },
      agency: position % 2 === 0 ? null : agency,
      rank: position % 5 === 0 ? null : { names: sampleNames(random, counts.languages, 'rank', position % 5) },
      ...(hasFlags ? { has_ext_login: position < counts.logins } : {}),
    };
  }
}
