import { InvalidArgumentError } from 'commander';
import { edgeCases, type EdgeCase } from '../bundle/index.ts';
import { canonicalZone } from '../bundle/time/zone.ts';

/** A timezone that a bundle may name. @throws InvalidArgumentError */
export const zoneOption = (text: string): string => {
  if (canonicalZone(text) === null) throw new InvalidArgumentError('It takes UTC or a name like Asia/Manila.');
  return text;
};

/** The code of a conservation area, a text of 1 to 8. @throws InvalidArgumentError */
export const areaOption = (text: string): string => {
  if (!/^[A-Za-z0-9_-]{1,8}$/.test(text))
    throw new InvalidArgumentError('It takes 1 to 8 letters, digits, "_" or "-".');
  return text;
};

/** One more edge case. @throws InvalidArgumentError */
export const edgeCaseOption = (text: string, before: readonly EdgeCase[] | undefined): readonly EdgeCase[] => {
  const found = edgeCases.find((name) => name === text);
  if (found === undefined) throw new InvalidArgumentError(`It takes one of ${edgeCases.join(', ')}.`);
  return [...(before ?? []), found];
};
