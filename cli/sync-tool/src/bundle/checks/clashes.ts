import { quote } from '../describe.ts';
import type { AttributeOption } from '../model.ts';
import { choiceValue } from '../values.ts';

/** A value that a key of a record would become. */
export interface Claim {
  readonly key: string;
  readonly value: string;
  /** From 1. */
  readonly line: number;
}

/** Problems of values that more than one record claims, each at the line of the later one and naming both (bundle contract, 3). */
export const clashesOf = (claims: readonly Claim[]): readonly { readonly line: number; readonly text: string }[] => {
  const first = new Map<string, Claim>();
  return claims.flatMap((claim) => {
    const other = first.get(claim.value);
    first.set(claim.value, other ?? claim);
    if (other === undefined) return [];
    const keys = `${quote(claim.key)} and ${quote(other.key)} (line ${other.line})`;
    return [{ line: claim.line, text: `the keys ${keys} both become ${claim.value}; rename one and export again` }];
  });
};

/** Text that the value of an option is made of: the path of a node of a tree, otherwise the key; null when it has none. */
export const optionKey = ({ key, path }: AttributeOption, type: 'LIST' | 'TREE'): string | null =>
  (type === 'TREE' ? path : key) || null;

/** Problems of options of one attribute that would be the same option. */
export const optionClashes = (options: readonly AttributeOption[], type: 'LIST' | 'TREE'): readonly string[] => {
  const first = new Map<string, string>();
  return options.flatMap((option) => {
    const key = optionKey(option, type);
    if (key === null) return [];
    const value = choiceValue(key);
    const other = first.get(value);
    first.set(value, other ?? key);
    return other === undefined ? [] : [`the options ${quote(key)} and ${quote(other)} both become ${value}`];
  });
};
