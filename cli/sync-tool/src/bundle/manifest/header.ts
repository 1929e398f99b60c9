import { describe } from '../describe.ts';
import type { Area } from '../model.ts';
import { boundedText, objectOf, uuidOf, type Part } from '../records/members.ts';
import type { PointAt } from './manifest-findings.ts';

const formatName = 'ext-migration-bundle';
const versionForm = /^1\.\d{1,9}$/;
const idLength = [1, 8] as const;
const nameLength = [0, 256] as const;

/** Checks the format and returns the version, `1.<n>` with any n (bundle contract, 2). */
export const readFormat = ({ members }: Part, point: PointAt): string => {
  const { format, format_version: version } = members;
  if (format !== formatName) point('format').problem(`format must be "${formatName}", it is ${describe(format)}`);
  if (typeof version === 'string' && versionForm.test(version)) return version;
  point('format_version').problem(
    `format_version must be a text "1.<number>", it is ${describe(version)}; this tool reads no other version`,
  );
  return '';
};

/** The conservation area. Its `id` is a text, leading zeros count. */
export const readArea = (manifest: Part, point: PointAt): Area => {
  const area = objectOf(manifest, 'conservation_area', point('conservation_area'));
  if (area === null) return { uuid: '', id: '', name: '' };
  const id = boundedText(area, 'id', idLength, point('conservation_area', 'id'));
  if (id !== '' && id.trim() === '') point('conservation_area', 'id').problem('conservation_area.id is blank');
  return {
    uuid: uuidOf(area, 'uuid', point('conservation_area', 'uuid')),
    id,
    name: boundedText(area, 'name', nameLength, point('conservation_area', 'name')),
  };
};
