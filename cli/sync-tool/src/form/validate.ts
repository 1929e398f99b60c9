import { fault } from './faults.ts';
import { isMembers, member } from './json.ts';
import type { Fault } from './model.ts';
import { jsonFaults } from './validate-json.ts';
import { uiFaults } from './validate-ui.ts';

/**
 * Where a form breaks the rules by which the site refuses it (site contract, 5.1); empty when it keeps them all. Any value may be given.
 */
export const validateForm = (document: unknown): Fault[] => {
  if (!isMembers(document)) return [fault([], 'The form must be an object with json and ui.')];
  const others = Object.keys(document).filter((name) => name !== 'json' && name !== 'ui');
  const json = member(document, 'json');
  const ui = member(document, 'ui');
  return [
    ...others.map((name) => fault([name], 'This is not allowed here.')),
    ...jsonFaults(json, ui),
    ...uiFaults(json, ui),
  ];
};
