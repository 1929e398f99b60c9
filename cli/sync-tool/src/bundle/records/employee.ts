import type { Employee, Names } from '../model.ts';
import { ownUuid, type RecordContext } from './context.ts';
import { boundedText, dateOf, dateOrNull, flagOf, keyOf, objectIfAny, objectOf, textOf, type Part } from './members.ts';
import { sharedNamesOf } from './names.ts';

const staffIdLength = [1, 32] as const;

const employmentOf = (part: Part, { at }: RecordContext): Employee['employment'] => {
  const employment = objectOf(part, 'employment', at);
  if (employment === null) return { start: '', end: null };
  const start = dateOf(employment, 'start', at);
  const end = dateOrNull(employment, 'end', at);
  if (end !== null && end < start)
    at.warn('ended', `the employment ends ${end}, before its start ${start}: it counts as ended`);
  return { start, end };
};

const agencyOf = (part: Part, context: RecordContext): Employee['agency'] => {
  const agency = objectIfAny(part, 'agency', context.at);
  return agency && { key: keyOf(agency, 'key', context.at), names: sharedNamesOf(agency, context) };
};

/** A rank without a label is as none. */
const rankOf = (part: Part, context: RecordContext): Names | null | undefined => {
  const rank = objectIfAny(part, 'rank', context.at);
  if (!rank) return rank;
  const names = sharedNamesOf(rank, context);
  return names.size === 0 ? null : names;
};

/** Reads a record of `employees` (bundle contract, 2). The login flag may be absent, but not null. */
export const readEmployee = (part: Part, context: RecordContext): Employee => {
  const { at } = context;
  const givenName = textOf(part, 'given_name', at);
  const familyName = textOf(part, 'family_name', at);
  const areTexts = typeof part.members['given_name'] === 'string' && typeof part.members['family_name'] === 'string';
  if (areTexts && `${givenName}${familyName}`.trim() === '') at.problem('given_name and family_name are both blank');
  return {
    uuid: ownUuid(part, context),
    id: boundedText(part, 'id', staffIdLength, at),
    givenName,
    familyName,
    employment: employmentOf(part, context),
    agency: agencyOf(part, context),
    rank: rankOf(part, context),
    hasExtLogin: part.members['has_ext_login'] === undefined ? undefined : flagOf(part, 'has_ext_login', at),
  };
};
