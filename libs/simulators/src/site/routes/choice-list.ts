import { refused } from '../answers/envelope.ts';
import { largestPage } from '../answers/paging.ts';
import type { Choice } from '../state/records.ts';
import { asks, pageOf, type Call, type Run } from './call.ts';

const matcher = ({ switches, query }: Call) => {
  const anyCase = switches.choice_filter === 'any_case';
  const fold = (value: string): string => (anyCase ? value.toLowerCase() : value);
  return (name: 'model' | 'field', value: string): boolean => {
    const wanted = switches.choice_filter === 'ignored' ? null : query.get(name);
    return wanted === null || fold(value) === fold(wanted);
  };
};

/** By `ordernum`, null last; whatever is equal comes in another order each time. */
const ordered = ({ shuffle, switches }: Call, choices: readonly Choice[]): Choice[] => {
  const unstable = switches.choice_order === 'unstable';
  return choices
    .map((choice) => ({ choice, order: choice.ordernum ?? Infinity, chance: unstable ? shuffle.next() : 0 }))
    .sort((a, b) => (a.order === b.order ? a.chance - b.chance : a.order - b.order))
    .map(({ choice }) => choice);
};

/**
 * Choices, always paged, inactive ones only with `include_inactive=true` (site contract, section 4). A field that no choice has, not even
 * an inactive one, is 400 with the phrase, or an empty list.
 */
export const listChoices: Run = (call) => {
  const { store, switches, query } = call;
  const matches = matcher(call);
  const fields = [...store.choiceIndex.fields].filter(([field]) => matches('field', field));
  if (fields.length === 0 && query.has('field') && switches.choice_unseen_field === 'refused') {
    const name = String(query.get('field'));
    if (switches.choice_filter !== 'ignored')
      return refused({ field: [`Select a valid choice. ${name} is not one of the available choices.`] });
  }
  const inactiveToo = asks(call, 'include_inactive');
  const rows = fields
    .flatMap(([, ids]) => [...ids].flatMap((id) => store.choices.get(id) ?? []))
    .filter((choice) => matches('model', choice.model) && (inactiveToo || choice.is_active));
  return pageOf(call, ordered(call, rows), (choice) => choice, largestPage);
};
